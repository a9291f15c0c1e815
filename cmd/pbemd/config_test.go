package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What `pbemd config` prints is read back as the defaults.
func TestPrintedConfigIsTheDefaults(t *testing.T) {
	var b bytes.Buffer
	writeConfig(&b)
	dir := t.TempDir()
	file := filepath.Join(dir, "pbemd.toml")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readConfig(file)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	var want Config
	if err := defaults(reflect.ValueOf(&want).Elem()); err != nil {
		t.Fatal(err)
	}
	want.Server.Dir = filepath.Join(dir, want.Server.Dir)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestUnknownKeyIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pbemd.toml")
	if err := os.WriteFile(file, []byte("[mailbox]\nadress = \"gm@example.org\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readConfig(file); err == nil || !strings.Contains(err.Error(), "adress") {
		t.Errorf("error %v", err)
	}
}
