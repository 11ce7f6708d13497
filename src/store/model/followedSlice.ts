/** Followed slices: what their owner was given to see of other accounts (specification, "Followed slice"). */
export interface FollowedSlice {
  id: string
  /** Unlike those of the account's other slices. */
  name: string
  /** The address of the other account's API. */
  url: string
  /** The access to it: a secret of the other account. */
  accessToken: string
}
