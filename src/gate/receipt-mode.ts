/** Whether commits without a receipt block, are only shown, or are not looked for. */
export const RECEIPT_MODES = ['require', 'report', 'off'] as const
export type ReceiptMode = (typeof RECEIPT_MODES)[number]
