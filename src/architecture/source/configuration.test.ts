import { describe, expect, it } from 'vitest'
import { Configuration } from './configuration.ts'

const JAVA = 'a/src/main/java/X.java'

const read = (files: Record<string, string>): Configuration => {
  const configuration = new Configuration()
  for (const [path, text] of Object.entries(files)) configuration.add(path, text)
  return configuration
}

describe('configuration', () => {
  it('is read from YAML and properties, with relaxed names', () => {
    const found = read({
      'a/src/main/resources/application.yml': 'order-topic: t\nlist:\n  - x\n  - y\n',
      'a/src/main/resources/application-dev.properties': 'only.dev = d \\\n  e\nuni\\u0063ode:v\n! no\n',
    })
    expect(found.fill('${orderTopic} ${ORDER_TOPIC} ${list[1]} ${only.dev} ${unicode}', JAVA).text).toBe(
      't t y d e v',
    )
    expect(found.list('list', JAVA)).toEqual(['x', 'y'])
  })

  it('prefers the module of the code, and no profile to one', () => {
    const found = read({
      'application.yml': 'k: root',
      'a/src/main/resources/application-prod.yml': 'k: prod',
      'a/src/main/resources/application.yml': 'k: own',
      'b/src/main/resources/application.yml': 'k: other\nonly: b',
    })
    expect(found.find('k', JAVA)?.value).toBe('own')
    expect(found.find('k', 'c/X.java')?.value).toBe('root')
    expect(found.find('only', JAVA)).toBeUndefined()
  })

  it('fills defaults in, keeps what it does not know, and does not turn in circles', () => {
    const found = read({ 'application.properties': 'a=${b}\nb=${a}\nc=${a}${a}${a}${a}' })
    expect(found.fill('${x:y}/${z}', JAVA)).toEqual({
      text: 'y/${z}',
      origin: '${x:y}/${z}',
      complete: false,
    })
    expect(found.fill('${c}', JAVA).complete).toBe(false)
  })

  it.each([
    ['application.yml', 'a: [', 1],
    ['application.yml', `a: ${'['.repeat(100_000)}`, 1],
    ['x.xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 1],
    ['x.xml', '<!DOCTYPE mapper PUBLIC "-//x" "http://y"><mapper/>', 0],
  ])('survives a broken %s', (file, text, warnings) => {
    expect(read({ [file]: text }).warnings).toHaveLength(warnings)
  })

  it('does not follow aliases without end', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let at = 1; at < 12; at += 1)
      lines.push(
        `a${at}: &a${at} [${Array(10)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
      )
    const found = read({ 'application.yml': lines.join('\n') })
    expect(found.settings.length).toBeLessThan(50_001)
  })
})
