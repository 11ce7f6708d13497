/**
 * Invitations: who may register where registration is not open (accounts supplement 9.4, 10.1). An invitation is kept by
 * the SHA-256 of its token, never by the token, and is good for one account.
 *
 * While an account is being made its invitation is set aside for it, and used up once the account is on disk. What a
 * crash leaves set aside is settled at the next start: used up when the account is there, free again when it is not. So
 * one token never makes two accounts, and none is lost.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Failure } from '../../store/model/failure.js'
import { accountOfUsername, readUser } from '../../store/accounts/users.js'
import type { Node } from '../node.js'

const FAMILY = 'invitation'

/** An invitation as it is kept. Times in milliseconds, as the specification has them here. */
interface Invitation {
  createdAt: number
  createdBy: string
  description: string
  consumedAt?: number
  /** The user name that registered; removed when that account is deleted. */
  consumedBy?: string
  /** Kept, so that the setting does not bring it back. */
  revokedAt?: number
  /** For whom it is set aside: a registration under way on this core. */
  reserved?: { core: string; username: string }
}

/** An invitation as the operator sees it: never with its token. */
export interface InvitationView extends Omit<Invitation, 'reserved'> {
  /** SHA-256 of the token, hexadecimal. */
  id: string
}

/** A new invitation with its token, which is shown this once. */
export interface NewInvitation {
  token: string
  id: string
  createdAt: number
  createdBy: string
  description: string
}

/** The id of the invitation of a token. */
const invitationId = (token: string): string => createHash('sha256').update(token).digest('hex')

const isUsable = (invitation: Invitation | undefined): invitation is Invitation =>
  invitation !== undefined &&
  invitation.consumedAt === undefined &&
  invitation.revokedAt === undefined &&
  invitation.reserved === undefined

const invitationIn = (value: unknown): Invitation | undefined => value as Invitation | undefined

const millisecondsNow = (node: Node): number => Math.floor(node.clock.now() * 1000)

const invalid = (): Failure =>
  new Failure('invalid-operation', 'The invitation token is invalid: registration is by invitation.')

/** Whether everybody may register. */
export const isOpen = (node: Node): boolean => node.config.get('invitationTokens') === null

/** Whether one may register with a token now. */
export async function isInvited(node: Node, token: string | undefined): Promise<boolean> {
  if (isOpen(node)) return true
  if (token === undefined) return false
  return isUsable(invitationIn(await node.registry.records.get(FAMILY, invitationId(token))))
}

/**
 * The id of the invitation that a registration uses up; undefined where it needs none: registration is open, or the
 * operator makes the account.
 * @throws Failure `invalid-operation`
 */
export async function invitationFor(
  node: Node,
  token: string | undefined,
  by: 'anybody' | 'operator',
): Promise<string | undefined> {
  if (isOpen(node) || (by === 'operator' && token === undefined)) return undefined
  if (!(await isInvited(node, token)) || token === undefined) throw invalid()
  return invitationId(token)
}

/**
 * Makes an account while its invitation is set aside for it. The invitation is used up once `make` has resolved, and
 * free again when it rejects.
 * @throws Failure `invalid-operation` when another registration has the invitation
 */
export async function usingInvitation<T>(
  node: Node,
  id: string | undefined,
  username: string,
  make: () => Promise<T>,
): Promise<T> {
  if (id === undefined) return make()
  await set(node, id, (invitation) => {
    if (!isUsable(invitation)) throw invalid()
    return { ...invitation, reserved: { core: node.registry.core, username } }
  })
  let made: T
  try {
    made = await make()
  } catch (error) {
    await settle(node, id, undefined)
    throw error
  }
  await settle(node, id, username)
  return made
}

/** Ends a reservation. What fails here is done at the next start: the account is made, or is not, all the same. */
async function settle(node: Node, id: string, consumedBy: string | undefined): Promise<void> {
  const settled = set(node, id, (invitation) => {
    if (invitation?.reserved === undefined) return undefined
    const { reserved: _, ...rest } = invitation
    return consumedBy === undefined ? rest : { ...rest, consumedAt: millisecondsNow(node), consumedBy }
  })
  await settled.catch((error: unknown) =>
    node.log.error('an invitation stays set aside until the next start', { id, error: String(error) }),
  )
}

/** Changes an invitation; `step` answers what it becomes, undefined for no change. */
function set(node: Node, id: string, step: (now: Invitation | undefined) => Invitation | undefined): Promise<void> {
  return node.registry.records.change(FAMILY, id, (now) => {
    const next = step(invitationIn(now))
    return next === undefined ? { result: undefined } : { put: next, result: undefined }
  })
}

/**
 * What invitations need at the start of a node: those of the setting get their records, and what a crash left set aside
 * is settled. Nobody registers meanwhile.
 */
export async function prepareInvitations(node: Node): Promise<void> {
  for (const token of node.config.get('invitationTokens') ?? []) {
    const id = invitationId(token)
    if ((await node.registry.records.get(FAMILY, id)) !== undefined) continue
    await set(node, id, (now) => now ?? { createdAt: millisecondsNow(node), createdBy: 'settings', description: '' })
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

/** Invitations in the order of their making, without those taken back. */
export async function listInvitations(node: Node): Promise<InvitationView[]> {
  const found: InvitationView[] = []
  for (const { id, value } of await node.registry.records.list(FAMILY)) {
    const invitation = invitationIn(value)
    if (invitation === undefined || invitation.revokedAt !== undefined) continue
    const { reserved: _, ...rest } = invitation
    found.push({ id, ...rest })
  }
  return found.sort((a, b) => a.createdAt - b.createdAt)
}

/** Makes invitations. Their tokens, 128 random bits each, are in the result and nowhere else. */
export async function createInvitations(node: Node, count: number, description: string): Promise<NewInvitation[]> {
  const made = Array.from({ length: count }, () => {
    const token = randomBytes(16).toString('hex')
    return { token, id: invitationId(token), createdAt: millisecondsNow(node), createdBy: 'admin', description }
  })
  await Promise.all(made.map(({ token: _, id, ...stored }) => set(node, id, () => stored)))
  return made
}

/**
 * Takes an invitation back by its id, or the beginning of it.
 * @throws Failure `unknown-resource`, `invalid-operation` when the beginning means several, or it was used already
 */
export async function revokeInvitation(node: Node, named: string): Promise<InvitationView> {
  const all = await listInvitations(node)
  const found = all.filter(({ id }) => named !== '' && id.startsWith(named.toLowerCase()))
  const [invitation] = found
  if (invitation === undefined) throw new Failure('unknown-resource', `There is no invitation "${named}".`)
  if (found.length > 1) {
    throw new Failure('invalid-operation', `${found.length} invitations begin with "${named}": give more of the id.`)
  }
  const { id } = invitation
  await set(node, id, (now) => {
    if (!isUsable(now)) throw new Failure('invalid-operation', 'This invitation has been used.', { id })
    return { ...now, revokedAt: millisecondsNow(node) }
  })
  return invitation
}

/** Takes the user name out of the invitation that an account came by; that it was used stays known. */
export async function forgetInvited(node: Node, id: string): Promise<void> {
  await set(node, id, (now) => {
    if (now?.consumedBy === undefined) return undefined
    const { consumedBy: _, ...rest } = now
    return rest
  })
}
