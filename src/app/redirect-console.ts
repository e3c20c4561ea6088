// Imported before anything else: a stray console.log in any module, ours or not, must not corrupt a protocol
// that is spoken on stdout. The console asks for its streams when it first writes; it is given stderr for both.
Object.defineProperty(console, '_stdout', { configurable: true, get: () => process.stderr })
