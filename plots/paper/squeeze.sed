# SPDX-License-Identifier: BSD-3-Clause
# squeeze.sed: gnuplot's SVG says the same of every stroke; said once it is half as large.
s|<title>Gnuplot</title>|<style>.g{fill:none;color:black;stroke:currentColor;stroke-width:1;stroke-linecap:round;stroke-linejoin:round}.g circle{fill:black;stroke:none}.t{stroke:none;fill:black;font-family:sans-serif}</style>|
s|<g fill="none" color="black" stroke="currentColor" stroke-width="1.00" stroke-linecap="round" stroke-linejoin="round">|<g class="g">|
s|stroke="none" fill="rgb(0,0,0)" font-family="sans" |class="t" |
s|<text> *|<text>|
s|^[ \t]*||
s|\([0-9]\)\.00\([^0-9]\)|\1\2|g
s|rgb( *0, *0, *0)|#000|g
s|rgb(119, 119, 119)|#777|g
s|rgb(221, 221, 221)|#ddd|g
s| class="gridline"||
s|  *'/>|'/>|g
s|<use xlink:href='#gpPt6' transform='translate(\([0-9.]*\),\([0-9.]*\)) scale(\([0-9.]*\))' color='#000'/>|<circle r='\3' cx='\1' cy='\2'/>|
