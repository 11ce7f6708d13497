/**
 * Invitations, required for registration when it is not open (docs/interface/registration.md#invitations). Stored by the SHA-256
 * of their token, each valid for one account. An invitation is reserved while its account is created, and consumed once the
 * account is on disk. At the next start after a crash, reserved invitations are consumed if the account exists and released
 * otherwise. So a token never creates two accounts, and none is lost.
 */
import { randomBytes } from 'node:crypto'
import { millisecondsNow } from '../../base/clock.js'
import { secretDigest } from '../../base/secretDigest.js'
import { Failure } from '../../../store/model/failure.js'
import { accountOfUsername, readUser } from '../../../store/accounts/users.js'
import type { Context } from '../../call/context.js'

const FAMILY = 'invitation'

/** Stored form of an invitation. Times in milliseconds, as in answers. */
interface Invitation {
  createdAt: number
  createdBy: string
  description: string
  consumedAt?: number
  /** User name that registered; removed when that account is deleted. */
  consumedBy?: string
  /** Revocation time; the record is kept, so that the setting does not restore it. */
  revokedAt?: number
  /** Reservation by a registration in progress on this core. */
  reserved?: { core: string; username: string }
}

/** Operator view of an invitation, without its token. */
interface InvitationView extends Omit<Invitation, 'reserved'> {
  /** SHA-256 of the token, hexadecimal. */
  id: string
}

/** A new invitation with its token, which is shown once. */
interface NewInvitation {
  token: string
  id: string
  createdAt: number
  createdBy: string
  description: string
}

/** Returns the id of a token's invitation. */
const invitationId = (token: string): string => secretDigest(token)

const isUsable = (invitation: Invitation | undefined): invitation is Invitation =>
  invitation !== undefined &&
  invitation.consumedAt === undefined &&
  invitation.revokedAt === undefined &&
  invitation.reserved === undefined

const invitationIn = (value: unknown): Invitation | undefined => value as Invitation | undefined

const invalid = (): Failure =>
  new Failure('invalid-operation', 'The invitation token is invalid: registration is by invitation.')

/** Checks whether registration is open to everybody. */
export const isOpen = (node: Context): boolean => node.config.get('invitationTokens') === null

/** Checks whether a token currently permits registration. */
export async function isInvited(node: Context, token: string | undefined): Promise<boolean> {
  if (isOpen(node)) return true
  if (token === undefined) return false
  return isUsable(invitationIn(await node.registry.records.get(FAMILY, invitationId(token))))
}

/**
 * Returns the id of the invitation for a registration; undefined when none is required: registration is open, or the operator
 * creates the account.
 * @throws Failure `invalid-operation`
 */
export async function invitationFor(
  node: Context,
  token: string | undefined,
  by: 'anybody' | 'operator',
): Promise<string | undefined> {
  if (isOpen(node) || (by === 'operator' && token === undefined)) return undefined
  if (!(await isInvited(node, token)) || token === undefined) throw invalid()
  return invitationId(token)
}

/**
 * Creates an account with its invitation reserved. The invitation is consumed when `make` resolves, and released when it rejects.
 * @throws Failure `invalid-operation` when another registration reserved or used it
 */
export async function usingInvitation<T>(
  node: Context,
  id: string | undefined,
  username: string,
  make: () => Promise<T>,
): Promise<T> {
  if (id === undefined) return make()
  await set(node, id, (invitation) => {
    if (!isUsable(invitation)) throw invalid()
    return { ...invitation, reserved: { core: node.registry.core, username } }
  })
  let created: T
  try {
    created = await make()
  } catch (error) {
    await settle(node, id, undefined)
    throw error
  }
  await settle(node, id, username)
  return created
}

/** Ends a reservation. Failures are logged and handled at the next start. */
async function settle(node: Context, id: string, consumedBy: string | undefined): Promise<void> {
  const settled = set(node, id, (invitation) => {
    if (invitation?.reserved === undefined) return undefined
    const { reserved: _, ...rest } = invitation
    return consumedBy === undefined ? rest : { ...rest, consumedAt: millisecondsNow(node.clock), consumedBy }
  })
  await settled.catch((error: unknown) =>
    node.log.error('failed to settle an invitation; it stays reserved until the next start', { id, error: String(error) }),
  )
}

/** Changes an invitation; `step` returns its new form, undefined for no change. */
function set(node: Context, id: string, step: (now: Invitation | undefined) => Invitation | undefined): Promise<void> {
  return node.registry.records.change(FAMILY, id, (now) => {
    const next = step(invitationIn(now))
    return next === undefined ? { result: undefined } : { put: next, result: undefined }
  })
}

/**
 * Prepares the invitations at the start of a node, before any registration: creates records for those of the setting, and settles
 * reservations left by a crash.
 */
export async function prepareInvitations(node: Context): Promise<void> {
  for (const token of node.config.get('invitationTokens') ?? []) {
    const id = invitationId(token)
    if ((await node.registry.records.get(FAMILY, id)) !== undefined) continue
    await set(node, id, (now) => now ?? { createdAt: millisecondsNow(node.clock), createdBy: 'settings', description: '' })
  }
  for (const { id, value } of await node.registry.records.list(FAMILY)) {
    const reserved = invitationIn(value)?.reserved
    if (reserved?.core !== node.registry.core) continue
    const { db } = node.store
    const account = accountOfUsername(db, reserved.username)
    const user = account === undefined ? undefined : readUser(db, account)
    await settle(node, id, user?.hidden['invitationToken'] === id ? reserved.username : undefined)
  }
}

/** Lists the invitations by creation, without revoked ones. */
export async function listInvitations(node: Context): Promise<InvitationView[]> {
  const found: InvitationView[] = []
  for (const { id, value } of await node.registry.records.list(FAMILY)) {
    const invitation = invitationIn(value)
    if (invitation === undefined || invitation.revokedAt !== undefined) continue
    const { reserved: _, ...rest } = invitation
    found.push({ id, ...rest })
  }
  return found.sort((a, b) => a.createdAt - b.createdAt)
}

/** Creates invitations. Their tokens, 128 random bits each, exist only in the result. */
export async function createInvitations(node: Context, count: number, description: string): Promise<NewInvitation[]> {
  const created = Array.from({ length: count }, () => {
    const token = randomBytes(16).toString('hex')
    return { token, id: invitationId(token), createdAt: millisecondsNow(node.clock), createdBy: 'admin', description }
  })
  await Promise.all(created.map(({ token: _, id, ...stored }) => set(node, id, () => stored)))
  return created
}

/**
 * Revokes an invitation by its id or a prefix of it.
 * @throws Failure `unknown-resource`, `invalid-operation` when the prefix is ambiguous, or the invitation was used
 */
export async function revokeInvitation(node: Context, named: string): Promise<InvitationView> {
  const all = await listInvitations(node)
  const found = all.filter(({ id }) => named !== '' && id.startsWith(named.toLowerCase()))
  const [invitation] = found
  if (invitation === undefined) throw new Failure('unknown-resource', `Unknown invitation "${named}".`)
  if (found.length > 1) {
    throw new Failure('invalid-operation', `${found.length} invitations start with "${named}": specify more of the id.`)
  }
  const { id } = invitation
  await set(node, id, (now) => {
    if (!isUsable(now)) throw new Failure('invalid-operation', 'This invitation has already been used.', { id })
    return { ...now, revokedAt: millisecondsNow(node.clock) }
  })
  return invitation
}

/** Removes the user name from an account's invitation, which stays marked as used. */
export async function forgetInvited(node: Context, id: string): Promise<void> {
  await set(node, id, (now) => {
    if (now?.consumedBy === undefined) return undefined
    const { consumedBy: _, ...rest } = now
    return rest
  })
}
