/** Reports the progress of the long parts of a query: downloading a packet, making its word index and its vectors. */
export type ProgressListener = (step: 'fetch' | 'index' | 'embed', done: number, total: number) => void

export const noProgress: ProgressListener = () => {}
