package orders

// RowHex recognises hexes of one letter, or one letter twice, and a number, in
// any spelling that has one meaning: K7, K07, KO7, K1O, AA14.
func RowHex(word string) (string, bool) {
	n := rows(word)
	if n == 0 || n == len(word) || len(word)-n > 3 {
		return "", false
	}
	digits := make([]byte, 0, 3)
	for i := n; i < len(word); i++ {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case c == 'O': // a letter in the place of a number
			digits = append(digits, '0')
		default:
			return "", false
		}
	}
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 2 {
		return "", false
	}
	return word[:n] + string(digits), true
}

// rows is the length of the row at the head of a word: one letter, or the same
// letter twice.
func rows(w string) int {
	if w == "" || w[0] < 'A' || w[0] > 'Z' {
		return 0
	}
	if len(w) > 1 && w[1] == w[0] {
		// OO1 may be row OO, hex 1, or row O, hex 01: the double row is the plain reading
		return 2
	}
	return 1
}

// NumberHex recognises hexes of four digits, with E or W behind for the half of
// a strait; letter O counts as the digit.
func NumberHex(word string) (string, bool) {
	if len(word) != 4 && len(word) != 5 {
		return "", false
	}
	b := []byte(word)
	digits := 0
	for i := 0; i < 4; i++ {
		switch {
		case b[i] >= '0' && b[i] <= '9':
			digits++
		case b[i] == 'O':
			b[i] = '0'
		default:
			return "", false
		}
	}
	if digits == 0 || len(b) == 5 && b[4] != 'E' && b[4] != 'W' {
		return "", false
	}
	return string(b), true
}

// AnyHex recognises the hexes of every game and leaves them as they are spelled.
func AnyHex(word string) (string, bool) {
	if _, ok := RowHex(word); ok {
		return word, true
	}
	_, ok := NumberHex(word)
	return word, ok
}
