/** A number with its word: `1 file`, `2 files`. */
export const plural = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`
