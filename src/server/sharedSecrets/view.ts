import * as z from 'zod'
import { expiresOf, type SharedSecret } from '../../store/model/sharedSecret.js'

/** A secret as its maker sees it: without what it hands over. */
export const SharedSecretView = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'consumed', 'discarded']),
  statusHistory: z.array(z.object({ status: z.string(), time: z.number(), info: z.string().optional() })),
  onConsumed: z.object({ message: z.string(), returnUrl: z.string().optional() }),
  signatureType: z.enum(['secret', 'hmac-sha256']).optional(),
  expires: z.number(),
})

/** The view of a secret as it is stored. */
export function viewOf(secret: SharedSecret): z.output<typeof SharedSecretView> {
  const { id, title, status, statusHistory, onConsumed, signatureType } = secret
  return {
    id,
    title,
    status,
    statusHistory,
    onConsumed,
    ...(signatureType === undefined ? {} : { signatureType }),
    expires: expiresOf(secret),
  }
}
