// Required before a program that is run for this: writes down what V8 made of its chunks in the course of it.
const { existsSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const [, program = ''] = process.argv
/** @type {{ loaded: { script: import('node:vm').Script, cache: string }[] }} */
const { loaded } = require(join(dirname(program), '../chunks/loader.js'))

process.on('exit', () => {
  // What an earlier program has written down is as that one needs it.
  for (const { script, cache } of loaded)
    if (!existsSync(cache)) writeFileSync(cache, script.createCachedData())
})
