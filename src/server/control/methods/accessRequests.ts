/** Operator methods for access requests: lists, shows, approves and refuses pending ones. */
import * as z from 'zod'
import { isDecided, statusOfRequest, type AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { approve, refuse } from '../../accessRequest/approval.js'
import { consentText } from '../../accessRequest/consentWords.js'
import { invitesHeading, inviteTexts } from '../../accessRequest/inviteWords.js'
import { offerFor } from '../../accessRequest/offer.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { terminalCall } from '../terminalCaller.js'
import { languages } from '../../base/words.js'
import { loadedOf } from './loaded.js'

/** Minimum length of a key prefix that identifies a request. */
const SHORTEST = 6

function requestOf(node: Node, given: unknown): AccessRequest {
  const text = String(given ?? '')
  const found = node.accessRequests.list().filter(({ key }) => key === text || (text.length >= SHORTEST && key.startsWith(text)))
  const [request] = found
  if (request === undefined) throw new Failure('unknown-access-key', `There is no access request "${text}".`)
  if (found.length > 1) throw new Failure('invalid-operation', `Several access requests start with "${text}". Type more characters of the key.`)
  return request
}

/** Returns the view of a request for the operator, without tokens. Times in seconds. */
function shownRequest(request: AccessRequest): Record<string, unknown> {
  const { key, requestingAppId, deviceName, createdAt, expiresAt, requestedPermissions } = request
  return {
    key,
    requestingAppId,
    deviceName: deviceName ?? null,
    status: statusOfRequest(request),
    created: createdAt,
    expires: expiresAt,
    requestedPermissions,
  }
}

const Language = z.enum(languages).default('en')
const Reason = z.object({ reasonId: z.string().min(1).max(256).optional(), message: z.string().max(2000).optional() })

const Answers = z.record(z.string(), z.strictObject({ agrees: z.boolean(), kept: z.array(z.string()).default([]) }))

/** Returns the failure for a request that was refused instead of approved. */
function refusedAfterAll(outcome: AccessRequest['outcome']): Failure {
  if (outcome?.status !== 'REFUSED') return new Failure('invalid-operation')
  const { message, reasonId } = outcome
  return new Failure('invalid-operation', `${message} The request was refused.`, { reasonId })
}

export const accessRequestMethods: Readonly<Record<string, NodeMethod>> = {
  /** Lists pending requests, the earliest first. */
  'requests.list': (node) => ({
    requests: node.accessRequests
      .list()
      .filter((request) => !isDecided(request))
      .map(shownRequest),
  }),
  /** Describes the permissions that a request would grant in the account of `username`. */
  async 'requests.show'(node, params) {
    const request = node.accessRequests.open(requestOf(node, params['key']).key)
    const call = terminalCall(node, await loadedOf(node, params))
    const offer = await offerFor(call, request)
    const language = parseInput(Language, params['language'])
    const invites = { ...invitesHeading(offer.invites, language), entries: inviteTexts(offer.invites, language) }
    return { request: shownRequest(request), consent: { ...consentText(offer, language), invites } }
  },
  /**
   * Approves a request for `username`. `keep` are the ids of the chosen entries, `answers` those to consents with other accounts,
   * by their ids.
   */
  async 'requests.approve'(node, params) {
    const { key } = requestOf(node, params['key'])
    const keep = parseInput(z.array(z.string()), params['keep'])
    const call = terminalCall(node, await loadedOf(node, params))
    const answers = parseInput(Answers, params['answers'] ?? {})
    const { request, accessId, permissions, isNew } = await approve(call, key, keep, { answers })
    const { outcome } = request
    if (accessId === undefined) throw refusedAfterAll(outcome)
    const outcomes = outcome?.status === 'ACCEPTED' && outcome.cmcInvites !== undefined ? { cmcInvites: outcome.cmcInvites } : {}
    return { request: shownRequest(request), access: { id: accessId, permissions, isNew }, ...outcomes }
  },
  'requests.refuse'(node, params) {
    const { key } = requestOf(node, params['key'])
    const { reasonId, message } = parseInput(Reason, params)
    return { request: shownRequest(refuse(node, key, reasonId, message)) }
  },
}
