import { Console } from 'node:console'

// Imported before anything else: a stray console.log in any module, ours or not, must not corrupt a protocol
// that is spoken on stdout.
globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr })
// Whoever reads our log may be gone; that is no reason to die.
process.stderr.on('error', () => {})
