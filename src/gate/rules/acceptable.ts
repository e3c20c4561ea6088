const BY_FINGERPRINT =
  /^gate\.(?:ambiguous-encoding|file-unread|file-given-up|grammar-missing|modules-tracked|submodule|link-content|link-target|parse-error)$/

/**
 * What an acceptance of a finding has to name: the fingerprint, which is about the text; or also the blob of the file,
 * because the fingerprint holds one byte of a secret and none of a policy. Undefined for what nothing accepts, such as
 * a branch, receipts, the specification, or a check without a result.
 */
export const acceptableBy = (ruleId: string, isSecret: boolean): 'fingerprint' | 'blob' | undefined => {
  if (isSecret || /^gate\.(?:manifest-invalid|policy-changed)$/.test(ruleId)) return 'blob'
  return !/^(?:gate|sdd)\./.test(ruleId) || BY_FINGERPRINT.test(ruleId) ? 'fingerprint' : undefined
}
