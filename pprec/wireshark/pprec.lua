-- SPDX-License-Identifier: BSD-3-Clause
-- pprec.lua: Wireshark and tshark read the probes of pptrans. common/wire.h has the format.
--
-- Version 1 is found by its content in any UDP datagram; the paper's classic format, in which there is
-- nothing to find, on the ports of its preference. In brackets stands what is computed from when frames came: the gap
-- to the packet of the train that came before, and, with the last of a train that came whole and in
-- order, its span and rate. A train whose inner packets die on the way may end before its length: until the packet that
-- tells so has been read, its length is a bound.
--
-- It runs on every Lua that Wireshark has had (5.1 to 5.4): without operators on bits, and integers of 64 bits
-- as UInt64.

local HEADER_BYTES = 18
local TIME, DEPARTURE, AUTH, REACH = 0x0001, 0x0002, 0x0004, 0x0008
local BYTES = { [TIME] = 8, [DEPARTURE] = 8, [REACH] = 4, [AUTH] = 16 }
local IN_ORDER = { TIME, DEPARTURE, REACH, AUTH } -- as they stand in a packet
local OVER = 0xffffffff -- of a departure: more than 4.29 s
local NS_PER_S = 1000000000
local ETHERNET_BYTES, IPV6_BYTES = 18, 40 -- with FCS, as --layer l2 counts

local function has(flags, flag)
    return math.floor(flags / flag) % 2 == 1
end

local function header_bytes(flags)
    local bytes = HEADER_BYTES
    for _, flag in ipairs(IN_ORDER) do
        bytes = bytes + (has(flags, flag) and BYTES[flag] or 0)
    end
    return bytes
end

-- --- Fields ---

local probe = Proto("pprec", "Packet-dispersion probe")
local classic = Proto("pprec_classic", "Packet-dispersion probe, classic")

local f = {
    version = ProtoField.uint8("pprec.version", "Version", base.DEC, nil, 0xf0),
    log2 = ProtoField.uint8("pprec.log2", "Log2 of the train's length", base.DEC, nil, 0x0f),
    length = ProtoField.uint16("pprec.length", "Packets in the train"),
    position = ProtoField.uint8("pprec.position", "Position in the train"),
    stream = ProtoField.uint32("pprec.stream", "Stream", base.HEX),
    seq = ProtoField.uint32("pprec.seq", "Sequence number"),
    train = ProtoField.uint32("pprec.train", "Train"),
    flags = ProtoField.uint16("pprec.flags", "Extensions", base.HEX),
    flag_time = ProtoField.bool("pprec.flags.time", "Time", 16, nil, TIME),
    flag_departure = ProtoField.bool("pprec.flags.departure", "Departure", 16, nil, DEPARTURE),
    flag_auth = ProtoField.bool("pprec.flags.auth", "Tag", 16, nil, AUTH),
    flag_reach = ProtoField.bool("pprec.flags.reach", "Reach", 16, nil, REACH),
    time = ProtoField.absolute_time("pprec.time", "Train handed to the kernel", base.UTC),
    departure_train = ProtoField.uint32("pprec.departure.train", "Departure of train"),
    departure_span = ProtoField.relative_time("pprec.departure.span", "First to last departure"),
    departure_over = ProtoField.bool("pprec.departure.over", "Departure took over 4.29 s"),
    reach_load = ProtoField.uint8("pprec.reach.load_hops", "Hop limit of inner packets"),
    reach_markers = ProtoField.uint8("pprec.reach.marker_hops", "Hop limit of first and last"),
    reach_bytes = ProtoField.uint16("pprec.reach.load_bytes", "Payload of an inner packet (bytes)"),
    auth = ProtoField.bytes("pprec.auth", "Tag"),
    padding = ProtoField.bytes("pprec.padding", "Padding"),
    -- computed
    gap = ProtoField.relative_time("pprec.gap", "Gap to the train's packet before"),
    offset = ProtoField.relative_time("pprec.offset", "Since the train's first arrival"),
    span = ProtoField.relative_time("pprec.span", "Spread of the train"),
    rate = ProtoField.double("pprec.rate_bps", "Rate of the train (bit/s at layer l2)"),
    duplicate = ProtoField.bool("pprec.duplicate", "Further copy"),
    delay = ProtoField.relative_time("pprec.delay", "From the sender's time to the arrival (two clocks)"),
}
local c = {
    number = ProtoField.uint8("pprec_classic.number", "Number, modulo 256"),
    position = ProtoField.uint16("pprec_classic.position", "Position in the train"),
    gap = ProtoField.relative_time("pprec_classic.gap", "Gap to the train's packet before"),
    offset = ProtoField.relative_time("pprec_classic.offset", "Since the train's first arrival"),
    span = ProtoField.relative_time("pprec_classic.span", "Spread of the train"),
    rate = ProtoField.double("pprec_classic.rate_bps", "Rate of the train (bit/s at layer l2)"),
    duplicate = ProtoField.bool("pprec_classic.duplicate", "Further copy"),
    padding = ProtoField.bytes("pprec_classic.padding", "Padding"),
}
local e = {
    cut = ProtoExpert.new("pprec.cut", "The capture kept less than the header", expert.group.UNDECODED,
        expert.severity.NOTE),
    foreign = ProtoExpert.new("pprec.foreign", "No probe of version 1", expert.group.MALFORMED, expert.severity.WARN),
}

local function listed(fields)
    local list = {}
    for _, field in pairs(fields) do
        list[#list + 1] = field
    end
    return list
end

probe.fields = listed(f)
probe.experts = listed(e)
classic.fields = listed(c)
classic.prefs.ports = Pref.range("UDP ports", "", "Where the paper's format is looked for", 65535)
classic.prefs.length = Pref.uint("Packets in a train", 2, "2 to 256: the format does not tell (-n of both programs)")

-- --- When packets of a train came ---

local frame_time = Field.new("frame.time_epoch")
local ip_bytes, ipv6_payload_bytes = Field.new("ip.len"), Field.new("ipv6.plen")

local trains -- what is known of the trains that have begun, by who sent them
local computed -- what was found out of a frame, for when it is looked at again

local function forget()
    trains = {}
    computed = {}
end

-- Exact, unlike pinfo.abs_ts, in which a double holds a quarter of a microsecond.
local function arrival()
    local time = frame_time().value
    return { s = time.secs, ns = time.nsecs }
end

local function ns_between(from, to)
    return (to.s - from.s) * NS_PER_S + (to.ns - from.ns)
end

-- A time of either sign has both parts of that sign.
local function span_of(ns)
    local size = math.abs(ns)
    local s = math.floor(size / NS_PER_S)
    local rest = size - s * NS_PER_S
    return ns < 0 and NSTime(-s, -rest) or NSTime(s, rest)
end

-- Of the frame that the packet came in: of several, in a tunnel, of the innermost.
local function frame_bytes()
    local four, six = { ip_bytes() }, { ipv6_payload_bytes() }
    local bytes = #four > 0 and four[#four].value or #six > 0 and six[#six].value + IPV6_BYTES or 0
    return bytes + ETHERNET_BYTES
end

-- One packet came: what it tells of its train. state: of the train, empty at first. Spread and rate are of trains
-- that came whole, in order and in packets of one size; pprec tells those of others, too.
local function came(state, position, length)
    local now = arrival()
    local told = { time = now }
    state.seen = state.seen or {}
    told.duplicate = state.seen[position] ~= nil
    if told.duplicate then
        return told
    end
    state.first = state.first or now
    local bytes = frame_bytes()
    state.bytes = state.bytes or bytes
    told.offset_ns = ns_between(state.first, now)
    told.gap_ns = state.last and ns_between(state.last, now)
    state.broken = state.broken or position ~= (state.position or -1) + 1 or bytes ~= state.bytes
    state.seen[position], state.last, state.position = true, now, position
    if position == length - 1 and not state.broken and told.offset_ns > 0 then
        told.span_ns = told.offset_ns
        told.rate_bps = (length - 1) * bytes * 8 * NS_PER_S / told.span_ns
    end
    return told
end

-- What a frame told when it was read first; a frame may hold several probes, in tunnels.
local function once(pinfo, key, find)
    local name = pinfo.number .. " " .. key
    if computed[name] == nil then
        computed[name] = find()
    end
    return computed[name]
end

local function add_computed(tree, fields, told)
    local function add(field, ns)
        if ns ~= nil then
            tree:add(field, span_of(ns)):set_generated()
        end
    end
    if told.duplicate then
        tree:add(fields.duplicate, true):set_generated()
    end
    add(fields.gap, told.gap_ns)
    add(fields.offset, told.offset_ns)
    add(fields.span, told.span_ns)
    if told.rate_bps ~= nil then
        tree:add(fields.rate, told.rate_bps):set_generated()
    end
end

local function in_words(told)
    if told.duplicate then
        return ", a further copy"
    end
    local text = told.gap_ns and string.format(", gap %.3f us", told.gap_ns / 1e3) or ""
    return told.rate_bps and text .. string.format(", %.3f Mbit/s", told.rate_bps / 1e6) or text
end

-- --- Version 1 ---

-- Where that extension stands; nil when the packet has none, or the capture kept less.
local function reach_at(buffer, flags)
    local at = HEADER_BYTES + (has(flags, TIME) and BYTES[TIME] or 0) + (has(flags, DEPARTURE) and BYTES[DEPARTURE] or 0)
    return has(flags, REACH) and at + BYTES[REACH] <= buffer:len() and at or nil
end

-- Such a train may end before its length: behind its first packet one that is smaller than an inner one is its last
-- (common/wire.h). Nothing tells that of the packets before it.
local function ends_early(buffer, flags, position)
    local at = reach_at(buffer, flags)
    return at ~= nil and position > 0 and buffer:reported_len() < buffer(at + 2, 2):uint()
end

-- Of a train whose inner packets die on the way: what cannot be.
local function reach_is_wrong(buffer, flags, log2)
    local at = reach_at(buffer, flags)
    if at == nil then
        return false
    end
    return log2 == 1 or buffer(at, 1):uint() == 0 or buffer(at + 1, 1):uint() == 0
        or buffer(at + 2, 2):uint() < header_bytes(flags)
end

-- Why this is no probe, as wire_decode() has it; nil for a probe.
local function wrong(buffer)
    if buffer:len() < HEADER_BYTES then
        return "ends before the header does"
    end
    local log2, flags = buffer(2, 1):uint() % 16, buffer(16, 2):uint()
    if buffer(0, 2):uint() ~= 0x5050 then
        return "does not begin with PP"
    elseif math.floor(buffer(2, 1):uint() / 16) ~= 1 then
        return "another version"
    elseif log2 < 1 or log2 > 8 then
        return "a train of none or of over 256"
    elseif buffer(3, 1):uint() >= 2 ^ log2 then
        return "a position outside the train"
    elseif flags > 0x000f then
        return "an unknown extension"
    elseif has(flags, AUTH) and not has(flags, TIME) then
        return "a tag without a time"
    elseif buffer:reported_len() < header_bytes(flags) then
        return "ends before its extensions do"
    elseif has(flags, REACH) and reach_is_wrong(buffer, flags, log2) then
        return "a reach that cannot be"
    end
    return nil
end

local function stamp_of(range)
    local ns = range:uint64()
    return { s = (ns / NS_PER_S):tonumber(), ns = (ns % NS_PER_S):tonumber() }
end

local add_extension = {
    [TIME] = function(tree, range, told)
        local sent = stamp_of(range)
        tree:add(f.time, range, NSTime(sent.s, sent.ns))
        tree:add(f.delay, span_of(ns_between(sent, told.time))):set_generated()
    end,
    [DEPARTURE] = function(tree, range)
        local ns = range(4, 4):uint()
        tree:add(f.departure_train, range(0, 4))
        if ns == OVER then
            tree:add(f.departure_over, range(4, 4), true)
        else
            tree:add(f.departure_span, range(4, 4), span_of(ns))
        end
    end,
    [REACH] = function(tree, range)
        tree:add(f.reach_load, range(0, 1))
        tree:add(f.reach_markers, range(1, 1))
        tree:add(f.reach_bytes, range(2, 2))
    end,
    [AUTH] = function(tree, range)
        tree:add(f.auth, range)
    end,
}

-- Those that the capture has whole.
local function add_extensions(tree, buffer, flags, told)
    local at = HEADER_BYTES
    for _, flag in ipairs(IN_ORDER) do
        if has(flags, flag) then
            if at + BYTES[flag] > buffer:len() then
                tree:add_proto_expert_info(e.cut)
                return
            end
            add_extension[flag](tree, buffer(at, BYTES[flag]), told)
            at = at + BYTES[flag]
        end
    end
    if at < buffer:len() then
        tree:add(f.padding, buffer(at))
    end
end

local function add_header(tree, buffer, length)
    tree:add(f.version, buffer(2, 1))
    tree:add(f.log2, buffer(2, 1))
    tree:add(f.length, buffer(2, 1), length):set_generated()
    tree:add(f.position, buffer(3, 1))
    tree:add(f.stream, buffer(4, 4))
    tree:add(f.seq, buffer(8, 4))
    tree:add(f.train, buffer(12, 4))
    local flags = tree:add(f.flags, buffer(16, 2))
    for _, field in ipairs({ f.flag_time, f.flag_departure, f.flag_auth, f.flag_reach }) do
        flags:add(field, buffer(16, 2))
    end
end

local function sender_of(pinfo)
    return tostring(pinfo.src) .. " " .. pinfo.src_port .. " " .. tostring(pinfo.dst) .. " " .. pinfo.dst_port
end

function probe.dissector(buffer, pinfo, tree)
    pinfo.cols.protocol = "PPREC"
    local why = wrong(buffer)
    local under = tree:add(probe, buffer())
    if why ~= nil then
        under:add_proto_expert_info(e.foreign, "No probe of version 1: " .. why)
        pinfo.cols.info = "no probe: " .. why
        return buffer:len()
    end
    local length, position = 2 ^ (buffer(2, 1):uint() % 16), buffer(3, 1):uint()
    local stream, train = buffer(4, 4):uint(), buffer(12, 4):uint()
    local flags = buffer(16, 2):uint()
    local key = sender_of(pinfo) .. string.format(" %08x %d", stream, train)
    local told = once(pinfo, key .. " " .. position, function()
        trains[key] = trains[key] or {}
        trains[key].length = ends_early(buffer, flags, position) and position + 1 or trains[key].length
        return came(trains[key], position, length)
    end)
    local ends = trains[key].length -- of a train that ended early, as far as was read
    add_header(under, buffer, ends or length)
    add_extensions(under, buffer, flags, told)
    add_computed(under, f, told)
    local may_be_less = has(flags, REACH) and ends == nil and position < length - 1
    local words = string.format("%08x #%d %d/%d%s", stream, train, position + 1, ends or length,
        may_be_less and " or less" or "") .. in_words(told)
    under:append_text(", " .. words)
    pinfo.cols.info = words
    return buffer:len()
end

probe:register_heuristic("udp", function(buffer, pinfo, tree)
    if wrong(buffer) ~= nil then
        return false
    end
    probe.dissector(buffer, pinfo, tree)
    return true
end)

-- --- Classic ---

-- Which train a number is of is told by the numbers alone: another one begins with the next multiple of the length, and
-- where a train's numbers come again later than half a circle of 256 numbers would.
local function classic_state(key, number, length)
    local known = trains[key]
    local block = math.floor(number / length)
    local now = arrival()
    local begins = known == nil or known.block ~= block
        or (number % length <= (known.position or -1) and ns_between(known.last or now, now) > NS_PER_S / 10)
    if begins then
        trains[key] = { block = block }
    end
    return trains[key]
end

function classic.dissector(buffer, pinfo, tree)
    if buffer:len() < 1 then
        return 0
    end
    pinfo.cols.protocol = "PPREC"
    local number, length = buffer(0, 1):uint(), classic.prefs.length
    local position = number % length
    local key = "classic " .. sender_of(pinfo)
    local told = once(pinfo, key, function()
        return came(classic_state(key, number, length), position, length)
    end)
    local under = tree:add(classic, buffer())
    under:add(c.number, buffer(0, 1))
    under:add(c.position, buffer(0, 1), position):set_generated()
    add_computed(under, c, told)
    if buffer:len() > 1 then
        under:add(c.padding, buffer(1))
    end
    pinfo.cols.info = string.format("classic, number %d, %d/%d", number, position + 1, length) .. in_words(told)
    return buffer:len()
end

local taken = "" -- the ports that the classic format has now

local function take_ports()
    local udp = DissectorTable.get("udp.port")
    if taken == classic.prefs.ports then
        return
    end
    if taken ~= "" then
        udp:remove(taken, classic)
    end
    taken = classic.prefs.ports
    if taken ~= "" then
        udp:add(taken, classic)
    end
end

classic.prefs_changed = take_ports

-- A capture begins. What the command line says of preferences may have changed nothing.
function probe.init()
    forget()
    take_ports()
end

forget()
DissectorTable.get("udp.port"):add_for_decode_as(probe)
