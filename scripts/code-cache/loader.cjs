// Is stored beside the chunks of a build. V8 parses a script anew at every start, which is an eighth of the time of a
// gate run; the build wrote down what V8 made of the chunks. V8 compares the version and the length of the text, not the
// text, so the bytecode and the text are compared with the digests that the build wrote into the chunk. Without a match
// the text is compiled.
const { readFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { Script } = require('node:vm')

const KIND = `${process.versions.v8}-${process.platform}-${process.arch}`

/** @param {string} path */
const readIfThere = (path) => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** @type {{ script: Script, cache: string }[]} */
exports.loaded = []

/** @param {Uint8Array} bytes */
const digestOf = (bytes) => require('node:crypto').createHash('sha256').update(bytes).digest('hex')

/**
 * Runs the text of the chunk that asks for it.
 * @param {NodeJS.Module} module
 * @param {NodeJS.Require} require
 * @param {{ readonly text: string, readonly bytecode: Readonly<Record<string, string>> }} [digests]
 */
exports.load = (module, require, digests) => {
  const filename = module.filename.replace(/\.js$/, '.code.js')
  const cache = `${filename}.${KIND}`
  const text = readFileSync(filename)
  const found = digests !== undefined ? readIfThere(cache) : undefined
  const isOurs =
    found !== undefined && digestOf(found) === digests?.bytecode[KIND] && digestOf(text) === digests.text
  const script = new Script(text.toString('latin1'), { filename, ...(isOurs && { cachedData: found }) })
  exports.loaded.push({ script, cache })
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
}
