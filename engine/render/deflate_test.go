package render

import (
	"bytes"
	"compress/flate"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// What is compressed is read back by the standard library, whatever it is.
func TestDeflateIsReadBack(t *testing.T) {
	d := newDeflater() // one for all: nothing may be left over
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.IntRange(1, 400).Draw(t, "row")
		var raw []byte
		for _, k := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 60).Draw(t, "kinds") {
			n := rapid.IntRange(1, 3000).Draw(t, "n")
			seed := rapid.Uint32().Draw(t, "seed")
			for range n {
				seed = seed*1664525 + 1013904223
				switch k {
				case 0: // one colour
					raw = append(raw, 7)
				case 1: // noise
					raw = append(raw, byte(seed>>24))
				case 2: // few colours
					raw = append(raw, byte(seed>>30))
				case 3: // the row above
					if len(raw) >= row {
						raw = append(raw, raw[len(raw)-row])
					}
				case 4: // far back
					if len(raw) >= 32768 {
						raw = append(raw, raw[len(raw)-32768])
					}
				case 5: // rare and rarer: long codes
					raw = append(raw, byte(bitsOf(seed)))
				}
			}
		}
		d.raw = append(d.raw[:0], raw...)
		d.deflate(row)
		got, err := io.ReadAll(flate.NewReader(bytes.NewReader(d.out)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, raw) {
			t.Fatalf("%d bytes came back as %d others", len(raw), len(got))
		}
	})
}

func bitsOf(s uint32) int {
	n := 0
	for s&1 == 1 {
		s >>= 1
		n++
	}
	return n
}

// Frequencies that grow like Fibonacci's numbers ask for codes too long.
func TestCodesKeepTheirLimit(t *testing.T) {
	var h huffman
	freq := make([]uint32, 40)
	a, b := uint32(1), uint32(1)
	for i := range freq {
		freq[i] = a
		a, b = b, a+b
	}
	for _, limit := range []uint8{7, 15} {
		out := make([]uint8, len(freq))
		h.lengths(freq, out, limit)
		sum := 0.0
		for _, l := range out {
			if l == 0 || l > limit {
				t.Errorf("a code of %d bits with limit %d", l, limit)
			}
			sum += 1 / float64(int(1)<<l)
		}
		if sum != 1 {
			t.Errorf("limit %d: the codes fill %v, not 1", limit, sum)
		}
	}
}

// A picture comes back with every pixel.
func TestEncodeIsReadBack(t *testing.T) {
	pal := color.Palette{color.RGBA{1, 2, 3, 255}, color.RGBA{200, 100, 50, 255}, color.RGBA{255, 255, 255, 255}}
	for _, r := range []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(0, 0, 3, 500), image.Rect(0, 0, 701, 333)} {
		m := image.NewPaletted(r, pal)
		for i := range m.Pix {
			m.Pix[i] = uint8(i * i / 97 % 3)
		}
		b, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		g, ok := got.(*image.Paletted)
		if !ok || g.Rect != r || !bytes.Equal(g.Pix, m.Pix) {
			t.Errorf("%v came back as another picture", r)
		}
	}
}
