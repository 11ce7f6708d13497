/** Schemas of consent event contents, beyond the catalogue of event types (docs/interface/consents.md#events). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { plainValue } from '../../../store/model/jsonText.js'
import { hasUnsafeScheme } from '../../../store/model/urlScheme.js'
import { checkInput, MAX_VALIDATION_ITEMS } from '../../../store/model/validation.js'
import * as types from './types.js'

const filled = z.string().min(1)

/** Text in several languages: `{ en: "…" }`. */
export const Localized = z
  .record(z.string().regex(/^[a-z]{2,3}$/, { error: 'Expected a language code of two or three lower-case letters.' }), z.string())
  .refine((texts) => Object.keys(texts).length > 0, { error: 'Expected a text in at least one language.' })

const annotations = {
  mandatory: z.boolean().optional(),
  optIn: z.boolean().optional(),
  defaultName: z.string().optional(),
  name: z.string().optional(),
}

const Entry = z
  .union([
    z.looseObject({ streamId: filled, level: z.enum(['none', 'read', 'create-only', 'contribute', 'manage']), ...annotations }),
    z.looseObject({ feature: filled, setting: z.enum(['forbidden', 'allowed']), ...annotations }),
  ])
  .refine(({ mandatory, optIn }) => mandatory !== true || optIn !== true, { error: 'An entry is mandatory or optIn, not both.' })

/** The permissions of an offer or a grant. */
export const OfferedPermissions = z.array(Entry).min(1)

export type OfferedEntry = z.output<typeof Entry>

const FeaturePair = z.looseObject({ chat: z.boolean().optional(), systemMessaging: z.boolean().optional() })

const Identity = z.looseObject({ username: filled, host: filled })

const RequestContent = z.looseObject({
  to: z.string().nullable(),
  capabilityRequested: z.boolean().optional(),
  capability: z.looseObject({ mode: z.unknown().optional() }).optional(),
  request: z.looseObject({
    title: Localized,
    description: Localized,
    consent: Localized,
    permissions: OfferedPermissions,
    features: FeaturePair.optional(),
    expiresAt: z.number().nullable().optional(),
    allowUserChoice: z.boolean().optional(),
    accessType: z.string().optional(),
    customData: z.looseObject({}).optional(),
  }),
  requesterMeta: z
    .looseObject({
      displayName: z.string().optional(),
      appId: z.string().optional(),
      appUrl: z.string().refine((text) => !hasUnsafeScheme(text), { error: 'Expected the address of a page or an app.' }).optional(),
      username: z.string().optional(),
    })
    .optional(),
})

const reason = Localized.optional()
const capabilityUrl = filled.max(2048)

const accepts = z.looseObject({
  capabilityUrl,
  accessName: z.string().optional(),
  grantedPermissions: OfferedPermissions.optional(),
  features: FeaturePair.optional(),
})

const contents: Record<string, z.ZodType> = {
  [types.REQUEST]: RequestContent,
  [types.REFUSE]: z.looseObject({ capabilityUrl, reason }),
  [types.REVOKE]: z.looseObject({ accessId: filled, reason }),
  [types.INVALIDATE_LINK]: z.looseObject({ capabilityId: filled, reason }),
  [types.BACK_CHANNEL]: z.looseObject({ from: Identity, apiEndpoint: filled }),
  [types.SCOPE_REQUEST]: z.looseObject({ newPermissions: OfferedPermissions, expires: z.number().optional(), message: reason }),
  [types.SCOPE_UPDATE]: z.union([
    z.looseObject({ scopeRequestEventId: filled, accept: z.boolean() }),
    z.looseObject({ newPermissions: OfferedPermissions, accessId: filled.optional() }),
  ]),
  [types.CHAT]: z.looseObject({ content: z.string().min(1).max(10_240) }),
  [types.ALERT]: z.looseObject({
    level: z.enum(['info', 'warning', 'critical']),
    title: Localized,
    body: Localized,
    code: z.string().optional(),
    ackId: z.string().optional(),
    ackRequired: z.boolean().optional(),
  }),
  [types.ACK]: z.looseObject({ alertEventId: filled, ackId: filled }),
}

/**
 * Converts a plain-text chat to the object form `{ content }`, in which the node records status and sender. Other contents are
 * returned unchanged. All chats are stored, delivered and read in this form (docs/interface/consents.md#events).
 */
export function chatContent<T>(type: string, content: T): T | { content: string } {
  if (type !== types.CHAT) return content
  const plain = plainValue(content)
  return typeof plain === 'string' ? { content: plain } : content
}

/** Contents as delivered by the peer's node, without members that only the deciding account has. */
const delivered: Record<string, z.ZodType> = {
  [types.ACCEPT]: z.looseObject({}),
  [types.REFUSE]: z.looseObject({ reason }),
  [types.SCOPE_UPDATE]: z.looseObject({}),
}

/**
 * Validates content that the catalogue accepts but this node cannot process. `isDelivery`: written by a peer's node.
 * @throws Failure `invalid-operation` with `data.errors`, texts that start with a path
 */
export function assertMessage(type: string, content: unknown, isDelivery: boolean): void {
  const shape = (isDelivery ? delivered[type] : undefined) ?? (type === types.ACCEPT ? accepts : contents[type])
  const parsed = shape === undefined ? undefined : checkInput(shape, content)
  if (parsed === undefined || parsed.success) return
  const errors = parsed.issues.slice(0, MAX_VALIDATION_ITEMS).map(({ path, message }) => `${['content', ...path].join('.')}: ${message}`)
  throw new Failure('invalid-operation', 'The content of the event does not match its type.', {
    id: 'cmc-invalid-event-content',
    errors,
  })
}
