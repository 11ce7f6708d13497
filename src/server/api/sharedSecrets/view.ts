import * as z from 'zod'
import { expiresOf, type SharedSecret } from '../../../store/model/sharedSecret.js'

/** A secret as shown to its creator, without its value. */
export const SharedSecretView = z.object({
  id: z.string().describe('Id of the secret.'),
  title: z.string().describe('Title.'),
  status: z.enum(['pending', 'consumed', 'discarded']).describe('pending until it is redeemed (consumed) or deleted (discarded).'),
  statusHistory: z.array(z.object({
    status: z.string().describe('The status.'),
    time: z.number().describe('Time of the change, in seconds since 1970.'),
    info: z.string().optional().describe('Reason.'),
  })).describe('Changes of the status, oldest first.'),
  onConsumed: z.object({
    message: z.string().describe('Message for people.'),
    returnUrl: z.string().optional().describe('Address that they can go to.'),
  }).describe('Response to later callers.'),
  signatureType: z.enum(['secret', 'hmac-sha256']).optional().describe('Kind of the second secret that redeeming requires.'),
  expires: z.number().describe('Time at which the secret expires, in seconds since 1970.'),
})

/** Converts a stored secret for its creator. */
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
