import { expect, it } from 'vitest'
import { syntaxTrees } from '../../platform/syntax/syntax-trees.ts'
import { readJava } from '../readers/java-reader.ts'
import { Configuration } from '../source/configuration.ts'
import { SourceIndex } from '../source/source-index.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { ConnectionDetector } from './interconnections.ts'

const SOURCE = `@RestController class Orders {
  RestTemplate rest;
  @GetMapping("/orders") String all() { return rest.getForObject("http://billing/api", String.class); }
}`

it('a detector that fails costs its own result and a warning', () => {
  const unit = readJava('Orders.java', syntaxTrees().parse('java', SOURCE))
  const [type] = unit.types
  if (type === undefined) throw new Error('the class was not read')
  // Only the detector of endpoints looks at the annotations of methods.
  const methods = type.methods.map((method) => ({
    ...method,
    get annotations(): never {
      throw new RangeError('Maximum call stack size exceeded')
    },
  }))
  const broken: SourceUnit = { ...unit, types: [{ ...type, methods }] }
  const detector = new ConnectionDetector(new SourceIndex([broken]), new Configuration(), {
    protos: new Map(),
    frameworks: [],
  })
  expect(detector.detect(broken).outbound).toMatchObject([{ target_service: 'http://billing/api' }])
  expect(detector.warnings).toContainEqual({
    code: 'step_failed',
    file: 'Orders.java',
    message: 'some endpoints are missing: the analysis failed with RangeError',
  })
})
