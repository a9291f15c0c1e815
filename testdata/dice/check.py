#!/usr/bin/env python3
"""A second reading of the dice protocol, version 1, with nothing but Python's
own library: it shares no line with the program that rolls the dice.

    check.py TRANSCRIPT...   check whole games as "pbemd transcript" writes them
    check.py --vectors FILE  check the numbers of a vectors file

For each it prints OK and the counts, or FAULT, the first record that fails and
why, and ends with status 0 if all are OK. One thing it leaves out and says so: that a beacon's
signature is drand's own (a pairing on BLS12-381). It does check that the
signature given was mixed into the dice as it must be.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
from datetime import datetime, timezone


class Fault(Exception):
    """What is wrong, as a sentence."""


# --- bytes -------------------------------------------------------------------

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def raw(x):
    return x.encode("utf-8", "surrogateescape") if isinstance(x, str) else x


def u32(n):
    return n.to_bytes(4, "big")


def lp(x):
    x = raw(x)
    return u32(len(x)) + x


# --- chains, commitments, keys -----------------------------------------------

def below(chain, game, i, link):
    """The link under link i of a chain."""
    return sha(lp("pbem-chain-v1"), lp(chain), lp(game), u32(i), lp(link))


def descend(chain, game, i, link, to):
    while i > to:
        link = below(chain, game, i, link)
        i -= 1
    return link


def opener(seal, player):
    return mac(seal, lp(player))


def commitment(key, orders):
    return sha(lp("pbem-orders-v1"), lp(key), lp(orders))


def step_digest(seats):
    """seats: (player, C or b"", salt), in the order of the players' ids."""
    return sha(lp("pbem-step-v1"), *[lp(p) + lp(c) + lp(s) for p, c, s in sorted(seats)])


def step_key(game, step, digest, link, beacon=b""):
    salt = sha(lp("pbem-dice-v1"), lp(game), u32(step), lp(digest))
    return mac(salt, lp(link), lp(beacon))  # HKDF-Extract


class Stream:
    """The bytes of one label."""

    def __init__(self, key, label):
        self.key = mac(key, lp("roll"), lp(label))
        self.block, self.bytes = 0, b""

    def take(self):
        if not self.bytes:
            self.bytes = mac(self.key, u32(self.block))
            self.block += 1
        b, self.bytes = self.bytes[0], self.bytes[1:]
        return b

    def below(self, m):
        """A number from 0 to m-1, each as likely as the next."""
        if m == 1:
            return 0
        whole = 256 if m <= 256 else 65536
        while True:
            v = self.take() if m <= 256 else self.take() * 256 + self.take()
            if v < whole // m * m:
                return v % m


def roll(key, label, sides, n):
    s = Stream(key, label)
    return [1 + s.below(sides) for _ in range(n)]


def shuffle(key, label, n):
    s, deck = Stream(key, label), list(range(n))
    for i in range(n - 1, 0, -1):
        j = s.below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


# --- six words (RFC 1751) ----------------------------------------------------

WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "..", "..", "engine", "dice", "words.txt")


def words(digest):
    with open(WORDS, encoding="ascii") as f:
        table = f.read().split()
    bits = int.from_bytes(digest[:8], "big")
    parity = sum(bits >> s & 3 for s in range(0, 64, 2)) & 3
    bits = bits << 2 | parity
    return " ".join(table[bits >> s & 2047] for s in range(55, -1, -11))


# --- Ed25519 (RFC 8032) ------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def plus(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * CURVE % P, 2 * a[2] * b[2] % P
    x, y, z, t = f - e, h - g, h + g, f + e
    return (x * y % P, z * t % P, y * z % P, x * t % P)


def times(n, a):
    out = (0, 1, 1, 0)
    while n:
        if n & 1:
            out = plus(out, a)
        a = plus(a, a)
        n >>= 1
    return out


def point(b):
    y = int.from_bytes(b, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    xx = (y * y - 1) * pow(CURVE * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * ROOT % P
    if (x * x - xx) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(key, message, sig):
    if len(key) != 32 or len(sig) != 64:
        return False
    a, r = point(key), point(sig[:32])
    s = int.from_bytes(sig[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(sig[:32] + key + message).digest(), "little") % L
    left, right = times(s, BASE), plus(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P
                or (left[1] * right[2] - right[1] * left[2]) % P)


# --- records -----------------------------------------------------------------

# The lines of each kind, in order: name and how often (1, "?" at most once,
# "*" any number). What every record ends with follows below.
FIELDS = {
    "start": "game player* rules build data* dice seal links beacon key hidden time",
    "sheet": "game step phase side c time",
    "close": "game step phase side c* salt* d time round",
    "step": "game step dice beacon roll* show* answer* rules sent* grade time",
    "amend": "game what step rules? dice? seal? links? beacon? hidden? key? key-sig?"
             " answer* reason time",
    "end": "game steps result seal* hidden* show* time",
}
TAIL = " mark? prev sig"

ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))', re.S)


def plain(text):
    """Undo the escapes of one value; the result is bytes."""
    out, at = b"", 0
    for m in ESCAPE.finditer(text):
        out += raw(text[at:m.start()])
        at = m.end()
        if m.group(1):
            out += bytes([int(m.group(1), 16)])
        elif m.group(2):
            out += chr(int(m.group(2), 16)).encode()
        elif m.group(3) in "nrt\\":
            out += {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}[m.group(3)]
        else:
            raise Fault("a value holds the unknown escape \\" + m.group(3))
    return out + raw(text[at:])


class Record:
    def __init__(self, text):
        self.text = text
        lines = text.split("\n")
        if lines[-1] != "":
            raise Fault("a record doesn't end with a newline")
        head = lines[0].split(" ")
        if head[:2] != ["pbem-record", "v1"] or len(head) != 3 or head[2] not in FIELDS:
            raise Fault("a record begins with %r" % lines[0])
        self.kind = head[2]
        self.values = {}
        rest = lines[1:-1]
        for field in (FIELDS[self.kind] + TAIL).split():
            name, often = field.rstrip("*?"), field[-1]
            got = []
            while rest and (rest[0] == name + ":" or rest[0].startswith(name + ": ")):
                got.append(rest.pop(0)[len(name) + 2:])
                if often != "*":
                    break
            if not got and often not in "*?":
                raise Fault("a %s record lacks the line %s" % (self.kind, name))
            self.values[name] = got
        if rest:
            raise Fault("a %s record has the line %r where it doesn't belong" % (self.kind, rest[0]))
        body = text[:text.rindex("sig: ")]
        self.body = raw(body)
        self.sig = base64.b64decode(self.one("sig"), validate=True)
        self.hash = sha(lp("pbem-record-v1"), lp(text))

    def one(self, name):
        got = self.values[name]
        return got[0] if got else None

    def all(self, name):
        return self.values[name]

    def number(self, name):
        return int(self.one(name))

    def hex(self, name):
        return bytes.fromhex(self.one(name))

    def time(self):
        return instant(self.one("time"))


def instant(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()


def pair(value):
    """The first word of a value, and the text after it."""
    a, _, b = value.partition(" ")
    return a, b


class Thrown:
    def __init__(self, value):
        parts = value.split(" ", 3) + [""]
        self.label, sides, values = parts[:3]
        self.deck = sides.startswith("shuffle")
        self.sides = int(sides[7:] if self.deck else sides)
        self.hidden = values.startswith("hidden")
        self.count = len(values.split(","))
        self.values = [] if self.hidden else [int(v) for v in values.split(",")]

    def agrees(self, key):
        if self.deck:
            return self.values == shuffle(key, self.label, self.sides)
        return self.values == roll(key, self.label, self.sides, len(self.values))


ARMOUR = re.compile(r"^-----BEGIN PBEM (RECORD|ORDERS)-----\n(.*?)^-----END PBEM \1-----$",
                    re.S | re.M)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        text = f.read().replace("\r\n", "\n")
    records, orders = [], []
    for kind, body in ARMOUR.findall(text):
        if kind == "RECORD":
            records.append(Record(body))
        else:
            orders.append(read_orders(body))
    return records, orders


def read_orders(body):
    lines = body.split("\n")[:-1]
    got = {"order": []}
    for line in lines:
        name, _, value = line.partition(": ")
        if name.rstrip(":") == "order":
            got["order"].append(plain(value))
        else:
            got[name] = value
    return got


# --- a whole game ------------------------------------------------------------

QUICKNET = ("52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971 3 1692803367 "
            "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a"
            "2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76"
            "eae8991ef5ece45a")


class Chains:
    """One set of chains and the first step that it serves."""

    def __init__(self, first, record):
        self.first, self.links = first, record.number("links")
        self.anchor = {x: record.hex(x) for x in ("dice", "seal", "hidden")}
        self.top = {}

    def index(self, step):
        i = step - self.first + 1
        return i if 1 <= i <= self.links else None


class Game:
    def __init__(self, records, orders):
        self.records, self.orders = records, orders
        self.counts = dict(records=0, steps=0, rolls=0, dice=0, hidden=0, orders=0, beacon=0, chain=0)
        self.closes, self.signature, self.played, self.queue = {}, {}, {}, []
        self.last, self.ended = 0, False
        self.hidden, self.committed, self.sent = {}, {}, {}

    def check(self):
        for i, r in enumerate(self.records):
            try:
                self.link(i, r)
                getattr(self, r.kind)(r)
            except (Fault, ValueError, LookupError) as e:
                raise Fault("record %d (%s): %s" % (i + 1, r.kind, e))
            self.counts["records"] += 1
        for o in self.orders:
            self.check_orders(o)
        self.counts["steps"] = len(self.played)
        for rolls, grade in self.played.values():
            self.counts[grade] += 1
            self.counts["rolls"] += len(rolls)
            self.counts["dice"] += sum(len(t.values) for t in rolls)
        self.counts["hidden"] = sum(1 for t, shown in self.hidden.values() if not shown)

    def link(self, i, r):
        if i == 0:
            if r.kind != "start":
                raise Fault("the first record isn't the start")
            self.game, self.key, self.mark = r.one("game"), r.hex("key"), r.one("mark")
            if r.one("prev") != "none":
                raise Fault("the start names a record before it")
        else:
            if r.one("prev") != self.records[i - 1].hash.hex():
                raise Fault("it doesn't follow the record before it")
            if r.time() < self.records[i - 1].time():
                raise Fault("it is older than the record before it")
        if r.one("game") != self.game or r.one("mark") != self.mark:
            raise Fault("it belongs to another game")
        if self.ended:
            raise Fault("it comes after the end")
        if not signed(self.key, r.body, r.sig):
            raise Fault("the signature isn't that of the server's key")

    def start(self, r):
        if r is not self.records[0]:
            raise Fault("the game starts a second time")
        self.players = r.all("player")
        if not self.players or self.players != sorted(set(self.players)):
            raise Fault("the players aren't in order")
        if r.one("beacon") not in ("none", QUICKNET) and self.mark != "DEMO":
            raise Fault("it pins a beacon that isn't drand quicknet")
        self.rules = int(r.one("rules").rsplit(" ", 1)[1])
        self.beacon = None if r.one("beacon") == "none" else r.one("beacon").split(" ")
        self.chains = [Chains(1, r)]

    def serving(self, step):
        for c in self.chains:
            if c.index(step):
                return c, c.index(step)
        raise Fault("there is no link for step %d" % step)

    def sheet(self, r):
        if r.number("step") != self.last + 1 or r.one("side") not in self.players:
            raise Fault("it isn't for the coming step")
        self.committed[r.hash.hex()] = (r.number("step"), {r.one("side"): r.hex("c")})

    def round(self, when):
        _, period, genesis, _ = self.beacon
        period, genesis = int(period), int(genesis)
        return max(1, -((genesis - when - 600) // period) + 1)

    def close(self, r):
        n = r.number("step")
        if self.queue:
            raise Fault("step %d is still open" % self.queue[0])
        if n != self.last + 1:
            raise Fault("step %d can't follow step %d" % (n, self.last))
        self.serving(n)
        cs, salts = [pair(v) for v in r.all("c")], [pair(v) for v in r.all("salt")]
        if [p for p, _ in cs] != self.players or [p for p, _ in salts] != self.players:
            raise Fault("it doesn't name each player once")
        if r.one("side") not in self.players + ["-"]:
            raise Fault("nobody plays the side " + r.one("side"))
        cs = {p: b"" if c == "-" else bytes.fromhex(c) for p, c in cs}
        d = step_digest([(p, cs[p], plain(s)) for p, s in salts])
        if d != r.hex("d"):
            raise Fault("D doesn't follow from its C and salts")
        want = "none" if self.beacon is None else str(self.round(int(r.time())))
        if r.one("round") != want:
            raise Fault("the rule names round %s, the record %s" % (want, r.one("round")))
        self.closes[n] = (d, r.one("round"), r.time())
        self.signature[n] = b""
        self.committed[r.hash.hex()] = (n, cs)
        self.last = n
        self.queue.append(n)

    def step(self, r):
        n = r.number("step")
        if not self.queue or self.queue[0] != n:
            raise Fault("step %d isn't the one that is open" % n)
        chains, i = self.serving(n)
        link = r.hex("dice")
        if descend("dice", self.game, i, link, 0) != chains.anchor["dice"]:
            raise Fault("its link isn't of the chain that the start fixed")
        d, rnd, _ = self.closes[n]
        sig = b"" if r.one("beacon") == "none" else r.hex("beacon")
        if (rnd == "none") != (sig == b""):
            raise Fault("beacon signature and round don't go together")
        if sig and self.mark is None and r.time() < self.appears(rnd):
            raise Fault("it is older than its beacon round")
        self.signature[n] = sig
        if r.number("rules") != self.rules:
            raise Fault("it was played by other rules than announced")
        if self.sent.setdefault(n, r.all("sent")) != r.all("sent"):
            raise Fault("played again, it says that the close record left at another time")
        grade = self.grade(r, rnd)
        if r.one("grade") != grade:
            raise Fault("its dice are of grade %s, it says %s" % (grade, r.one("grade")))
        key, rolls = step_key(self.game, n, d, link, sig), []
        for value in r.all("roll"):
            t = Thrown(value)
            self.label(t, n, rolls)
            if t.hidden:
                self.hidden[n, t.label] = (t, False)
            elif not t.agrees(key):
                raise Fault("the dice of %s aren't those of the key" % t.label)
            rolls.append(t)
        for value in r.all("show"):
            self.show(value)
        self.played[n] = (rolls, grade)
        self.queue.pop(0)

    def grade(self, r, rnd):
        sent = [pair(v) for v in r.all("sent")]
        if rnd == "none":
            if sent:
                raise Fault("a step without a beacon says when its close record left")
            return "chain"
        if [p for p, _ in sent] != self.players:
            raise Fault("it doesn't say for each player when the close record left")
        comes = self.appears(rnd)
        if any(t != "-" and instant(t) < self.closes[r.number("step")][2] for _, t in sent):
            raise Fault("the close record left before it was written")
        return "beacon" if all(t != "-" and instant(t) < comes for _, t in sent) else "chain"

    def appears(self, rnd):
        """When a round of the beacon that the start pinned comes."""
        _, period, genesis, _ = self.records[0].one("beacon").split(" ")
        return int(genesis) + (int(rnd) - 1) * int(period)

    def label(self, t, n, rolls):
        parts = t.label.split("/")
        if len(parts) != 5 or not re.fullmatch(r"T(0|[1-9][0-9]*)", parts[0]) \
                or not all(re.fullmatch(r"[!-.0-~]+", p) for p in parts[1:4]) \
                or not re.fullmatch(r"[1-9][0-9]*", parts[4]):
            raise Fault("%s is no label" % t.label)
        before = [x for s in sorted(self.played) for x in self.played[s][0]] + rolls
        tries = sum(x.label.split("/")[:4] == parts[:4] for x in before)
        if int(parts[4]) != tries + 1:
            raise Fault("%s is attempt %d of its name" % (t.label, tries + 1))

    def show(self, value):
        step, rest = pair(value)
        t = Thrown(rest)
        was = self.hidden.get((int(step), t.label))
        if was is None or was[0].sides != t.sides or was[0].deck != t.deck \
                or not t.deck and was[0].count != t.count:
            raise Fault("%s wasn't rolled hidden in step %s" % (t.label, step))
        if was[1] and was[0].values != t.values:
            raise Fault("%s is shown again, with other values" % t.label)
        was[0].values = t.values
        self.hidden[int(step), t.label] = (was[0], True)

    def amend(self, r):
        what, n = r.one("what"), r.number("step")
        agreed = [plain(v[len(p) + 1:]) for p in self.players for v in r.all("answer") if pair(v)[0] == p]
        coming = self.queue[0] if self.queue else self.last + 1
        if what == "rollback":
            if n not in self.played:
                raise Fault("step %d was never played" % n)
            self.rules = r.number("rules")
            for s in [s for s in self.played if s >= n]:
                del self.played[s]
                for k in [k for k in self.hidden if k[0] == s]:
                    del self.hidden[k]
                self.queue.append(s)
            self.queue.sort()
        elif what == "rules":
            if n != coming:
                raise Fault("new rules begin with the coming step")
            self.rules = r.number("rules")
        elif what == "key":
            body = r.text[:r.text.index("\nkey-sig: ") + 1]
            if not signed(r.hex("key"), raw(body), base64.b64decode(r.one("key-sig"), validate=True)):
                raise Fault("the new key hasn't signed")
            self.key = r.hex("key")
        elif what == "chain":
            old = self.chains[-1]
            notice = min(8, old.links // 2)
            if n != old.first + old.links or n - 1 - self.last < notice:
                raise Fault("new chains begin when the old are used up, announced %d steps before" % notice)
            self.chains.append(Chains(n, r))
        elif what == "grade":
            if self.beacon is None or r.one("beacon") != "none" or n != self.last + 1 \
                    or agreed != [b"GRADE CHAIN"] * len(self.players):
                raise Fault("the grade changes only when all players ask for it")
            self.beacon = None
        elif what == "void":
            if self.queue != [n] or n in self.played or self.closes[n][1] == "none" \
                    or self.signature[n] or agreed != [b"AGREE"] * len(self.players):
                raise Fault("only a step that waits for its beacon can be taken back, by all players")
            self.queue = []
        else:
            raise Fault("nobody knows what %s is" % what)

    def end(self, r):
        if self.queue:
            raise Fault("step %d is still open" % self.queue[0])
        if r.number("steps") != self.last:
            raise Fault("it counts %s steps" % r.one("steps"))
        for name in ("seal", "hidden"):
            tops = r.all(name)
            if len(tops) != len(self.chains):
                raise Fault("it doesn't open every %s chain" % name)
            for c, top in zip(self.chains, tops):
                c.top[name] = bytes.fromhex(top)
                if descend(name, self.game, c.links, c.top[name], 0) != c.anchor[name]:
                    raise Fault("its %s isn't of the chain that the start fixed" % name)
        for value in r.all("show"):
            self.show(value)
        for (n, label), (t, shown) in self.hidden.items():
            if not shown:
                raise Fault("%s is never shown" % label)
            c, i = self.serving(n)
            link = descend("hidden", self.game, c.links, c.top["hidden"], i)
            if not t.agrees(step_key(self.game, n, self.closes[n][0], link, self.signature[n])):
                raise Fault("the hidden draw %s isn't that of the key" % label)
        self.ended = True

    def check_orders(self, o):
        name = "orders of %s for record %s" % (o.get("player"), o.get("record", "")[:16])
        step, cs = self.committed.get(o.get("record"), (0, {}))
        if o.get("player") not in cs:
            raise Fault(name + ": no such record here")
        key = None if o["opener"] == "-" else bytes.fromhex(o["opener"])
        c, i = self.serving(step)
        if "seal" in c.top:
            true = opener(descend("seal", self.game, c.links, c.top["seal"], i), o["player"])
            if key not in (None, true):
                raise Fault(name + ": the opener isn't that of the seal")
            key = true
        if key is None:
            return
        text = b"".join(line + b"\n" for line in o["order"])
        if commitment(key, text) != cs[o["player"]]:
            raise Fault(name + ": these aren't the orders that C was made of")
        self.counts["orders"] += 1


# --- command line ------------------------------------------------------------

def check_transcript(path):
    records, orders = read(path)
    if not records:
        raise Fault("no record in it")
    g = Game(records, orders)
    g.check()
    c = g.counts
    print("OK game %s: %d records, %d steps, %d rolls, %d dice, %d orders; beacon %d, chain %d; hidden %d; head %s"
          % (g.game, c["records"], c["steps"], c["rolls"], c["dice"], c["orders"], c["beacon"], c["chain"],
             c["hidden"], words(records[-1].hash)))
    if g.records[0].one("beacon") != "none":
        print("NOT CHECKED: that each beacon signature is drand's own; dicecheck does that")


def check_vectors(path):
    with open(path, encoding="utf-8") as f:
        v = json.load(f)
    count = 0

    def same(what, got, want):
        nonlocal count
        count += 1
        if got != want:
            raise Fault("%s: got %s, want %s" % (what, got, want))

    game, n = v["game"], v["links"]
    for chain in ("dice", "seal"):
        top = bytes.fromhex(v["top"][chain])
        for i, want in v[chain].items():
            same("%s[%s]" % (chain, i), descend(chain, game, n, top, int(i)).hex(), want)
    link = bytes.fromhex(v["dice"]["1"])
    key = opener(bytes.fromhex(v["seal"]["1"]), "axis")
    c = commitment(key, "".join(line + "\n" for line in v["orders"]))
    same("opener", key.hex(), v["opener"])
    same("C", c.hex(), v["c"])
    d = step_digest([("axis", c, v["salts"]["axis"]), ("soviet", b"", v["salts"]["soviet"])])
    same("D", d.hex(), v["d"])
    prk = step_key(game, 1, d, link)
    same("PRK", prk.hex(), v["prk"])
    for t in v["rolls"]:
        k = prk
        if t.get("beacon"):
            k = step_key(game, 1, d, link, bytes.fromhex(t["beacon"]))
        if t.get("shuffle"):
            same(t["label"], shuffle(k, t["label"], t["shuffle"]), t["values"])
        else:
            same(t["label"], roll(k, t["label"], t["sides"], len(t["values"])), t["values"])
    for w in v["words"]:
        same("words", words(bytes.fromhex(w["hex"])), w["words"])
    for r in v["records"]:
        with open(os.path.join(os.path.dirname(path), r["file"]), encoding="utf-8", newline="") as f:
            record = Record(f.read())
        same(r["file"] + " hash", record.hash.hex(), r["hash"])
        same(r["file"] + " words", words(record.hash), r["words"])
        same(r["file"] + " sig", signed(bytes.fromhex(v["key"]), record.body, record.sig), True)
    for e in v["escapes"]:
        same("escape", plain(e["line"]).hex(), e["hex"])
    print("OK vectors: %d values" % count)


def main(args):
    if args[:1] == ["--vectors"] and len(args) == 2:
        work = [(check_vectors, args[1])]
    elif args and not args[0].startswith("-"):
        work = [(check_transcript, path) for path in args]
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    status = 0
    for check, path in work:
        try:
            check(path)
        except (Fault, ValueError, LookupError, OSError) as e:
            print("FAULT %s: %s" % (path, e))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
