// @ts-check
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinary, pinnedFolders } from './install.mjs'

/** Debian's own Python, for only that one finds Debian's modules; another may come first in the PATH. */
function binary() {
  const python = findBinary(['python3'], pinnedFolders ?? ['/usr/bin'])
  // Looked for, not imported: an import takes a second at every start.
  const found = python && existsSync(join(dirname(python), '../lib/python3/dist-packages/faiss'))
  return found ? python : undefined
}

/** @type {import('./install.mjs').Service} */
export const faiss = {
  name: 'faiss',
  title: 'FAISS for Python',
  binary,
  missing: () => (binary() ? [] : ['python3-faiss']),
  start: async () => ({ WARRANT_TEST_FAISS: binary() ?? '' }),
}
