/** The parts of the global that we use; the types of Node do not have them. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number })
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module, imports: { readonly host: { readonly memory: Memory } })
    readonly exports: Readonly<Record<string, unknown>>
  }
}
