package pbemtest

import (
	"testing"

	"pbemd/pbem"
)

func TestMemoryKeepsWhatAnArchiveMust(t *testing.T) {
	TestArchive(t, func(*testing.T) pbem.Archive { return NewMemory() }, nil)
}
