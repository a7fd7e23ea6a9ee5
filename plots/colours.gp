# SPDX-License-Identifier: BSD-3-Clause
# Colours of Okabe and Ito, which the colour-blind can tell apart.
black = 0x000000; orange = 0xe69f00; sky = 0x56b4e9; green = 0x009e73
blue = 0x0072b2; vermilion = 0xd55e00; purple = 0xcc79a7; grey = 0x777777; pale = 0xdddddd
