import { writeSync } from 'node:fs'
import { type BuildInput, buildEvidence } from '../../src/evidence/build.ts'
import { fileEvidence } from '../../src/platform/files/evidence-file.ts'
import { systemClock } from '../../src/platform/system/clock.ts'

/** A separate process that replaces the evidence of a folder: `append NAME COUNT`, `fixed` or `hang`. */

const [mode, root = '', name = '', count = '1'] = process.argv.slice(2)
const store = fileEvidence(root, systemClock)

const input = (findings: BuildInput['findings']): BuildInput => ({
  stage: 'CI',
  findings,
  platforms: {},
  rulesets: [],
})

const finding = (ruleId: string) =>
  ({ ruleId, severity: 'WARN', code: 'C', message: 'm', file: 'a.ts' }) as const

if (mode === 'hang') {
  await store.replace((previous) => {
    writeSync(1, 'inside\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    return buildEvidence(input([]), previous, 0)
  })
}

if (mode === 'fixed') {
  const words = ['z', 'a', 'Z', 'A', '\u00e9', '\u00c9', '10', '9']
  await store.replace(() =>
    buildEvidence({ ...input(words.map(finding)), root }, undefined, 1_000_000_000_000),
  )
}

for (let at = 0; mode === 'append' && at < Number(count); at += 1) {
  await store.replace((previous) => {
    const known = previous?.snapshot.findings ?? []
    return buildEvidence(input([...known, finding(`${name}.${at}`)]), previous, systemClock.now())
  })
  writeSync(1, `${name}.${at}\n`)
}
