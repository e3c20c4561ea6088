import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'

/** Mounts a FUSE file system that never answers, because no process reads its device. Undefined without the rights. */
export const hangMount = (folder: string): (() => void) | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  mkdirSync(folder, { recursive: true })
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'hung', folder], {
    stdio: ['ignore', 'ignore', 'ignore', device],
  })
  const close = () => {
    // Closing the device aborts all requests, so that hung processes can exit.
    closeSync(device)
    spawnSync('umount', ['-l', folder])
  }
  if (status === 0) return close
  closeSync(device)
  return undefined
}
