/** Parameters that several account methods take. */
import * as z from 'zod'

/** A new password, as far as its form goes (accounts supplement 6). */
export const NewPassword = z.string().min(6).max(100)
