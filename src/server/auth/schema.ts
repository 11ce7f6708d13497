/** Parameters shared by account methods. */
import * as z from 'zod'

/** Schema of a new password's form (accounts supplement 6). */
export const NewPassword = z.string().min(6).max(100)
