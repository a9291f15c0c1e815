package message

import "bytes"

// signedContent takes the content out of an opaque S/MIME message: the signed
// data of RFC 5652, in DER or BER, its octets in one piece or in many. The
// signature itself is not looked at.
func signedContent(b []byte) (content []byte, ok bool) {
	var (
		signedData = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}
		data       = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01}
	)
	info, _, ok := berNext(b, 0)
	if !ok || info.tag != 0x30 {
		return nil, false
	}
	kids := berAll(info.body, 1)
	if len(kids) < 2 || kids[0].tag != 0x06 || !bytes.Equal(kids[0].body, signedData) || kids[1].tag != 0xa0 {
		return nil, false
	}
	signed, _, ok := berNext(kids[1].body, 2)
	if !ok || signed.tag != 0x30 {
		return nil, false
	}
	for _, k := range berAll(signed.body, 3) {
		if k.tag != 0x30 {
			continue
		}
		enc := berAll(k.body, 4)
		if len(enc) < 2 || enc[0].tag != 0x06 || !bytes.Equal(enc[0].body, data) || enc[1].tag != 0xa0 {
			return nil, false // no content: the signature stands beside the text
		}
		octets, _, ok := berNext(enc[1].body, 5)
		if !ok {
			return nil, false
		}
		content = octets.octets(6)
		return content, len(content) > 0
	}
	return nil, false
}

// ber is one value of X.690.
type ber struct {
	tag  byte
	body []byte
}

const berDepth = 12

// berNext reads the value at the beginning of b and gives what stands behind it.
// Of a value that was cut off what is there is taken.
func berNext(b []byte, depth int) (v ber, rest []byte, ok bool) {
	if len(b) < 2 || depth > berDepth || b[0]&0x1f == 0x1f {
		return v, nil, false
	}
	v.tag = b[0]
	n, head := int(b[1]), 2
	switch {
	case b[1] == 0x80: // to the end mark
		from := b[2:]
		for left := from; ; {
			if len(left) < 2 || left[0] == 0 && left[1] == 0 {
				v.body = from[:len(from)-len(left)]
				return v, left[min(2, len(left)):], true
			}
			_, next, ok := berNext(left, depth+1)
			if !ok {
				return v, nil, false
			}
			left = next
		}
	case b[1] > 0x80:
		k := int(b[1] & 0x7f)
		if k > 4 || len(b) < 2+k {
			return v, nil, false
		}
		n = 0
		for _, c := range b[2 : 2+k] {
			n = n<<8 | int(c)
		}
		head += k
	}
	if n < 0 || n > len(b)-head {
		n = len(b) - head
	}
	v.body = b[head : head+n]
	return v, b[head+n:], true
}

// berAll reads the values within a value.
func berAll(b []byte, depth int) []ber {
	var out []ber
	for len(b) > 0 && len(out) < 1000 {
		v, rest, ok := berNext(b, depth)
		if !ok {
			break
		}
		out = append(out, v)
		b = rest
	}
	return out
}

// octets are those of a string, put together from its pieces.
func (v ber) octets(depth int) []byte {
	switch {
	case v.tag == 0x04:
		return v.body
	case v.tag != 0x24 || depth > berDepth:
		return nil
	}
	var out []byte
	for b := v.body; len(b) > 0; {
		piece, rest, ok := berNext(b, depth)
		if !ok {
			break
		}
		out = append(out, piece.octets(depth+1)...)
		b = rest
	}
	return out
}
