package render

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// deflater compresses palette rows. It writes what compress/flate reads, smaller
// than that does at level 6 and in less than half the time, because it knows where to
// look: pictures of hexes repeat the pixel before, the row above, and what
// stood at the same place in the hex beside, which a hash of eight pixels finds.
type deflater struct {
	raw    []byte
	out    []byte
	acc    uint64
	n      uint
	tokens []uint32
	lit    [286]uint32
	dist   [30]uint32
	long   [1 << hashBits]int32 // where eight pixels of a hash stood last
	before [window]int32        // and before that, by place in the window
	short  [1 << hashBits]int32 // where four did
	huff   huffman
}

const (
	window    = 1 << 15
	longest   = 258
	hashBits  = 15
	perBlock  = 1 << 14
	depth     = 8  // places of a hash to look at
	lazyMatch = 16 // so long that a pixel later only one is looked at
	goodMatch = 96 // long enough not to look further
)

func newDeflater() *deflater {
	return &deflater{tokens: make([]uint32, 0, perBlock)}
}

func hash8(w uint64) uint32 { return uint32(w*0x9E3779B97F4A7C15>>(64-hashBits)) & (1<<hashBits - 1) }

func hash4(w uint32) uint32 { return w * 0x9E3779B1 >> (32 - hashBits) & (1<<hashBits - 1) }

// same is how far two places agree, up to the longest match.
func same(b []byte, i, j int) int {
	limit := min(len(b)-i, longest)
	n := 0
	for n+8 <= limit {
		if x := binary.LittleEndian.Uint64(b[i+n:]) ^ binary.LittleEndian.Uint64(b[j+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for n < limit && b[i+n] == b[j+n] {
		n++
	}
	return n
}

// find is the best match for what stands at i, of so many places of its hash.
func (d *deflater) find(i, row, depth int) (length, distance int) {
	b := d.raw
	if i >= 1 && b[i-1] == b[i] {
		if length = same(b, i, i-1); length > 0 {
			distance = 1
		}
		if length >= goodMatch {
			return
		}
	}
	if j := i - row; j >= 0 && row <= window && i+length < len(b) && b[j+length] == b[i+length] {
		if n := same(b, i, j); n > length+cost(row, distance) {
			length, distance = n, row
			if length >= goodMatch {
				return
			}
		}
	}
	if i+8 > len(b) {
		return
	}
	word := binary.LittleEndian.Uint64(b[i:])
	j := int(d.long[hash8(word)]) - 1
	for k := 0; k < depth && j >= 0 && i-j <= window; k++ {
		if i+length < len(b) && b[j+length] == b[i+length] {
			if n := same(b, i, j); n > length+cost(i-j, distance) {
				length, distance = n, i-j
				if length >= goodMatch {
					return
				}
			}
		}
		j = int(d.before[j&(window-1)]) - 1
	}
	if length < 8 {
		if j := int(d.short[hash4(uint32(word))]) - 1; j >= 0 && i-j <= window && i+length < len(b) && b[j+length] == b[i+length] {
			if n := same(b, i, j); n > length+cost(i-j, distance) {
				length, distance = n, i-j
			}
		}
	}
	return
}

// cost is by how many pixels a match farther away must be longer to be worth
// its bits.
func cost(far, near int) int {
	if near > 0 && far > 64*near {
		return 1
	}
	return 0
}

// note remembers where eight pixels stand, and four.
func (d *deflater) note(i int) {
	if i+8 > len(d.raw) {
		return
	}
	word := binary.LittleEndian.Uint64(d.raw[i:])
	h := hash8(word)
	d.before[i&(window-1)] = d.long[h]
	d.long[h] = int32(i + 1)
	d.short[hash4(uint32(word))] = int32(i + 1)
}

// deflate compresses d.raw, rows of a length, into d.out.
func (d *deflater) deflate(row int) {
	clear(d.long[:])
	clear(d.short[:])
	d.out, d.acc, d.n, d.tokens = d.out[:0], 0, 0, d.tokens[:0]
	b := d.raw
	length, distance := 0, 0
	for i := 0; i < len(b); {
		if length == 0 {
			length, distance = d.find(i, row, depth)
		}
		d.note(i)
		if length < 3 || length == 3 && distance > 4096 {
			d.literal(b[i])
			i++
			length = 0
			continue
		}
		if length < goodMatch && i+1 < len(b) { // a longer one a pixel later?
			n := depth
			if length >= lazyMatch {
				n = 1
			}
			if l, dd := d.find(i+1, row, n); l > length+1 || l == length+1 && dd <= distance*4 {
				d.literal(b[i])
				i++
				length, distance = l, dd
				continue
			}
		}
		d.match(length, distance)
		// where runs pass, only their ends are worth noting
		end := i + length
		if distance == 1 && length > 24 || length >= longest {
			i = end - 8
		}
		for i++; i < end; i++ {
			d.note(i)
		}
		length = 0
	}
	d.block(true)
	for d.n > 0 {
		d.out = append(d.out, byte(d.acc))
		d.acc >>= 8
		d.n -= min(d.n, 8)
	}
}

func (d *deflater) literal(c byte) {
	d.lit[c]++
	d.tokens = append(d.tokens, uint32(c))
	if len(d.tokens) == perBlock {
		d.block(false)
	}
}

// match takes a token: bit 31, length less 3, distance less 1.
func (d *deflater) match(length, distance int) {
	d.lit[257+int(lengthCode[length-3])]++
	d.dist[distanceCode(uint32(distance-1))]++
	d.tokens = append(d.tokens, 1<<31|uint32(length-3)<<16|uint32(distance-1))
	if len(d.tokens) == perBlock {
		d.block(false)
	}
}

var lengthBase = [29]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255}
var lengthExtra = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}

var lengthCode = func() (t [256]uint8) {
	for c, b := range lengthBase {
		for i := b; i < 256; i++ {
			t[i] = uint8(c)
		}
	}
	return
}()

// distanceCode is the code of a distance less 1; its extra bits are code/2-1.
func distanceCode(d uint32) uint32 {
	if d < 4 {
		return d
	}
	n := uint32(bits.Len32(d)) - 1
	return 2*n + d>>(n-1)&1
}

func (d *deflater) bits(v uint64, n uint) {
	d.acc |= v << d.n
	d.n += n
	for d.n >= 32 {
		d.out = binary.LittleEndian.AppendUint32(d.out, uint32(d.acc))
		d.acc >>= 32
		d.n -= 32
	}
}

// block writes the tokens with Huffman codes of their own.
func (d *deflater) block(last bool) {
	d.lit[256] = 1
	var litLen [286]uint8
	var distLen [30]uint8
	d.huff.lengths(d.lit[:], litLen[:], 15)
	d.huff.lengths(d.dist[:], distLen[:], 15)
	nl, nd := 286, 30
	for nl > 257 && litLen[nl-1] == 0 {
		nl--
	}
	for nd > 1 && distLen[nd-1] == 0 {
		nd--
	}
	// the code lengths, run-length coded
	all := append(append(make([]uint8, 0, 316), litLen[:nl]...), distLen[:nd]...)
	type run struct{ code, extra uint8 }
	var runs []run
	var freq [19]uint32
	put := func(code, extra uint8) {
		runs = append(runs, run{code, extra})
		freq[code]++
	}
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		v := all[i]
		i += n
		if v != 0 {
			put(v, 0)
			n--
		}
		for n > 0 {
			switch {
			case v == 0 && n >= 11:
				k := min(n, 138)
				put(18, uint8(k-11))
				n -= k
			case v == 0 && n >= 3:
				put(17, uint8(n-3))
				n = 0
			case v != 0 && n >= 3:
				k := min(n, 6)
				put(16, uint8(k-3))
				n -= k
			default:
				put(v, 0)
				n--
			}
		}
	}
	var runLen [19]uint8
	d.huff.lengths(freq[:], runLen[:], 7)
	order := [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	nr := 19
	for nr > 4 && runLen[order[nr-1]] == 0 {
		nr--
	}
	final := uint64(0)
	if last {
		final = 1
	}
	d.bits(final|2<<1, 3)
	d.bits(uint64(nl-257), 5)
	d.bits(uint64(nd-1), 5)
	d.bits(uint64(nr-4), 4)
	for _, o := range order[:nr] {
		d.bits(uint64(runLen[o]), 3)
	}
	var runCode [19]uint16
	codes(runLen[:], runCode[:])
	for _, r := range runs {
		d.bits(uint64(runCode[r.code]), uint(runLen[r.code]))
		switch r.code {
		case 16:
			d.bits(uint64(r.extra), 2)
		case 17:
			d.bits(uint64(r.extra), 3)
		case 18:
			d.bits(uint64(r.extra), 7)
		}
	}
	var litCode [286]uint16
	var distCode [30]uint16
	codes(litLen[:], litCode[:])
	codes(distLen[:], distCode[:])
	for _, t := range d.tokens {
		if t>>31 == 0 {
			d.bits(uint64(litCode[t]), uint(litLen[t]))
			continue
		}
		length, far := int(t>>16&0xff), t&0x7fff
		c := lengthCode[length]
		d.bits(uint64(litCode[257+int(c)]), uint(litLen[257+int(c)]))
		d.bits(uint64(length-lengthBase[c]), lengthExtra[c])
		dc := distanceCode(far)
		d.bits(uint64(distCode[dc]), uint(distLen[dc]))
		if dc >= 4 {
			n := dc/2 - 1
			d.bits(uint64(far&(1<<n-1)), uint(n))
		}
	}
	d.bits(uint64(litCode[256]), uint(litLen[256]))
	d.tokens = d.tokens[:0]
	clear(d.lit[:])
	clear(d.dist[:])
}

// huffman makes code lengths from frequencies.
type huffman struct {
	leaf []leaf
}

type leaf struct {
	f uint32
	s int
}

// lengths gives every symbol with a frequency the length of its code, at most
// limit. At least one symbol gets one.
func (h *huffman) lengths(freq []uint32, out []uint8, limit uint8) {
	clear(out)
	for shrink := uint(0); ; shrink++ {
		h.leaf = h.leaf[:0]
		for s, f := range freq {
			if f > 0 {
				h.leaf = append(h.leaf, leaf{f>>shrink + 1, s})
			}
		}
		n := len(h.leaf)
		if n < 2 { // a lone code has a bit all the same
			s := 0
			if n == 1 {
				s = h.leaf[0].s
			}
			out[s] = 1
			return
		}
		sort.Slice(h.leaf, func(i, j int) bool {
			return h.leaf[i].f < h.leaf[j].f || h.leaf[i].f == h.leaf[j].f && h.leaf[i].s < h.leaf[j].s
		})
		// two queues: leaves, and nodes in the order they were joined
		weight := make([]uint32, 0, n)
		parent := make([]int, 2*n)
		li, ni := 0, 0
		take := func() (int, uint32) {
			if ni < len(weight) && (li >= n || weight[ni] < h.leaf[li].f) {
				ni++
				return n + ni - 1, weight[ni-1]
			}
			li++
			return li - 1, h.leaf[li-1].f
		}
		for len(weight) < n-1 {
			a, fa := take()
			b, fb := take()
			parent[a], parent[b] = n+len(weight), n+len(weight)
			weight = append(weight, fa+fb)
		}
		depth := make([]uint8, 2*n)
		deepest := uint8(0)
		for i := 2*n - 3; i >= 0; i-- {
			depth[i] = depth[parent[i]] + 1
			if i < n {
				out[h.leaf[i].s] = depth[i]
				deepest = max(deepest, depth[i])
			}
		}
		if deepest <= limit {
			return
		}
	}
}

// codes are the canonical codes of lengths, bits turned round as they are
// written.
func codes(length []uint8, out []uint16) {
	var count, next [16]uint16
	for _, l := range length {
		count[l]++
	}
	count[0] = 0
	c := uint16(0)
	for i := 1; i < 16; i++ {
		c = (c + count[i-1]) << 1
		next[i] = c
	}
	for s, l := range length {
		if l > 0 {
			out[s] = bits.Reverse16(next[l]) >> (16 - l)
			next[l]++
		}
	}
}
