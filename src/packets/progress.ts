/** Reports the progress of the long parts of a query: downloading a packet, making its vectors. */
export type ProgressListener = (step: 'fetch' | 'embed', done: number, total: number) => void

export const noProgress: ProgressListener = () => {}
