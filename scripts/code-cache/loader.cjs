// Lies beside the chunks of a build. V8 parses a script anew at every start, and a short command spends a fifth of
// its time on that; what it made of ours was written down when we were built. It is asked of the very V8 that made
// it and of no other, and V8 itself refuses what does not belong to the text.
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

/**
 * Runs the text of the chunk that asks for it.
 * @param {NodeJS.Module} module
 * @param {NodeJS.Require} require
 */
exports.load = (module, require) => {
  const filename = module.filename.replace(/\.js$/, '.code.js')
  const cache = `${filename}.${KIND}`
  const text = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'utf8')}\n})`
  const cachedData = readIfThere(cache)
  const script = new Script(text, { filename, ...(cachedData !== undefined && { cachedData }) })
  exports.loaded.push({ script, cache })
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
}
