const LAST_WORDS_MS = 100

/**
 * A thread hangs in a disk that does not answer, and an exit would wait for it. What there is to say is said
 * first; then the process is gone.
 */
export const killProcess = (say: (words: string) => void): void => {
  say('a file system does not answer; ending by force')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_WORDS_MS)
}
