/** Followed slices: access granted to the owner by other accounts (docs/interface/followed-slices.md#rules). */
export interface FollowedSlice {
  id: string
  /** Unique among the account's slices. */
  name: string
  /** API address of the other account. */
  url: string
  /** Access token of the other account; secret. */
  accessToken: string
}
