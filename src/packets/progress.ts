/** Told how far the long parts of a question are: the fetching of a packet, and the making of its vectors. */
export type ProgressListener = (step: 'fetch' | 'embed', done: number, total: number) => void

export const noProgress: ProgressListener = () => {}
