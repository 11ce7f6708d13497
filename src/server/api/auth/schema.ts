/** Parameters shared by account methods. */
import * as z from 'zod'

/** Schema of a new password's form (docs/interface/account.md#password-rules). */
export const NewPassword = z.string().min(6).max(100)
