// Import this first. It sends console.log to stderr, because stdout carries the protocol and a stray line of any
// module would corrupt it. The console reads `_stdout` at its first write.
Object.defineProperty(console, '_stdout', { configurable: true, get: () => process.stderr })
