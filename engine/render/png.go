package render

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"sync"
)

var deflaters = sync.Pool{New: func() any { return newDeflater() }}

// Encode writes a PNG file of palette rows without filters, which is what
// such rows compress best with.
func Encode(m *image.Paletted) ([]byte, error) {
	d := deflaters.Get().(*deflater)
	defer deflaters.Put(d)
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if cap(d.raw) < (w+1)*h {
		d.raw = make([]byte, (w+1)*h)
	}
	d.raw = d.raw[:(w+1)*h]
	for y := 0; y < h; y++ {
		d.raw[y*(w+1)] = 0
		copy(d.raw[y*(w+1)+1:(y+1)*(w+1)], m.Pix[y*m.Stride:])
	}
	d.deflate(w + 1)
	out := make([]byte, 0, len(d.out)+3*len(m.Palette)+80)
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	out, at := open(out, "IHDR")
	out = binary.BigEndian.AppendUint32(out, uint32(w))
	out = binary.BigEndian.AppendUint32(out, uint32(h))
	out = seal(append(out, 8, 3, 0, 0, 0), at)
	out, at = open(out, "PLTE")
	for _, c := range m.Palette {
		r, g, b, _ := c.RGBA()
		out = append(out, uint8(r>>8), uint8(g>>8), uint8(b>>8))
	}
	out = seal(out, at)
	out, at = open(out, "IDAT")
	out = append(append(out, 0x78, 0x9c), d.out...)
	out = seal(binary.BigEndian.AppendUint32(out, adler32.Checksum(d.raw)), at)
	out, at = open(out, "IEND")
	return seal(out, at), nil
}

// open begins a chunk, seal fills in its length and sum.
func open(out []byte, name string) ([]byte, int) {
	return append(append(out, 0, 0, 0, 0), name...), len(out)
}

func seal(out []byte, at int) []byte {
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-8))
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at+4:]))
}
