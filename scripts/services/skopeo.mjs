// @ts-check
import { findBinary } from './install.mjs'

const binary = () => findBinary(['skopeo'])

/** @type {import('./install.mjs').Service} */
export const skopeo = {
  name: 'skopeo',
  title: 'skopeo',
  binary,
  missing: () => (binary() ? [] : ['skopeo']),
  start: async () => ({ WARRANT_TEST_SKOPEO: binary() ?? '' }),
}
