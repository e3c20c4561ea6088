// @ts-check
import { findBinary } from './install.mjs'

const binary = () => findBinary(['chromium', 'chromium-browser', 'google-chrome'])

/** @type {import('./install.mjs').Service} */
export const chromium = {
  name: 'chromium',
  title: 'Chromium',
  binary,
  missing: () => (binary() ? [] : ['chromium']),
  start: async () => ({ WARRANT_TEST_CHROMIUM: binary() ?? '' }),
}
