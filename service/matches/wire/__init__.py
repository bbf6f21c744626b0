"""What clients of a match read and write. Cards are codes here; the engine's types stay inside."""
