"""The command `noripan`. One file here is one command: it exports a click command named `command`."""
