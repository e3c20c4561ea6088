/** Subcommands of git: git ignores an alias with the name of one. */
const SUBCOMMANDS = new Set(
  `add am annotate apply archive backfill bisect branch bugreport bundle cat-file check-attr check-ignore check-mailmap
check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree
config count-objects credential describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export
fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc grep gui
hash-object help history hook http-push index-pack init interpret-trailers last-modified lfs log ls-files ls-remote
ls-tree maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv
name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase receive-pack reflog refs
remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack
shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree switch
symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var
verify-commit verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
)

export const isKnownSubcommand = (name: string): boolean => SUBCOMMANDS.has(name)
