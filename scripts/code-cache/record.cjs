// Required before a program that is run for this: writes down what V8 made of its chunks in the course of it.
const { writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const [, program = ''] = process.argv
/** @type {{ loaded: { script: import('node:vm').Script, cache: string }[] }} */
const { loaded } = require(join(dirname(program), '../chunks/loader.js'))

process.on('exit', () => {
  for (const { script, cache } of loaded) writeFileSync(cache, script.createCachedData())
})
