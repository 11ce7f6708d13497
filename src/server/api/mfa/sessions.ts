/**
 * Pending MFA sessions: logins awaiting their code, and enrolments awaiting confirmation (docs/interface/mfa.md#sessions). They
 * exist in memory only.
 */
import { randomUUID } from 'node:crypto'
import type { Enrolment } from '../../../store/model/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import type { Secret } from '../../../store/model/secret.js'
import type { CallRecorder } from '../../audit/auditEntry.js'
import type { Result } from '../../call/method.js'

/** Code of the latest text message of a session. */
export interface SentCode {
  /** Time of sending, in seconds. */
  at: number
  /** SHA-256, hexadecimal; absent when the text message service created the code. */
  digest?: string
}

interface Pending {
  token: string
  /** Prefix of the account. */
  account: string
  /** Expiry in seconds; fixed when the session is opened. */
  expires: number
  /** Attempts so far, including running ones. */
  attempts: number
  /** Password hash at the start; the session ends when the password changes. */
  passwordHash: string
  sent?: SentCode
  /** Time of the latest request for a text message, in seconds. */
  requestedAt?: number
}

/** A login with a correct password. */
export interface PendingLogin extends Pending {
  kind: 'login'
  /** Id of the factor at the start. */
  enrolment: string
  /** Opens the login session and returns its result. */
  complete(trail: CallRecorder | undefined): Promise<Result>
}

/** A factor that its owner has not confirmed yet. */
export interface PendingEnrolment extends Pending {
  kind: 'enroll'
  /** Personal access that started it, which must still be valid; absent for the operator. */
  access?: string
  /** Id of the factor that it replaces. */
  replaces: string | undefined
  method: Enrolment['method']
  content: Record<string, string>
  /** Parameters of an authenticator app. */
  totp?: { secret: Secret<string>; digits: number; periodSeconds: number }
}

export type PendingSession = PendingLogin | PendingEnrolment

/** Session members chosen by the caller of `open`. */
type NewSession = Omit<PendingLogin, 'expires' | 'attempts'> | Omit<PendingEnrolment, 'expires' | 'attempts'>

export interface MfaSessions {
  /**
   * Checks that a session of this kind and account may be opened, after displacing old ones.
   * @throws Failure `too-many-requests`
   */
  assertCapacity(about: Pick<NewSession, 'kind' | 'account'>): void
  /**
   * Stores a session under its token. A new enrolment replaces the account's earlier one; a login above the limit of an account
   * replaces its oldest.
   * @throws Failure `too-many-requests`
   */
  open(session: NewSession): void
  /** Returns the live session of a token on an account; undefined also for tokens of other accounts. */
  find(token: string, account: string): PendingSession | undefined
  /** Ends a session; false when it had already ended, so only one of several simultaneous callers gets true. */
  end(session: PendingSession): boolean
}

interface MfaSessionRules {
  ttlSeconds: number
  maxPending: number
  maxPendingPerUser: number
}

/** Returns a token for a new session. */
export const newMfaToken = (): string => randomUUID()

/** Creates the session store. `now` in seconds. */
export function createMfaSessions(rules: MfaSessionRules, now: () => number): MfaSessions {
  // Ordered by opening, and so by expiry, since all have the same lifetime.
  const sessions = new Map<string, PendingSession>()
  const byAccount = new Map<string, Set<PendingSession>>()

  function remove(session: PendingSession): boolean {
    if (!sessions.delete(session.token)) return false
    const others = byAccount.get(session.account)
    others?.delete(session)
    if (others?.size === 0) byAccount.delete(session.account)
    return true
  }

  function removeExpired(): void {
    for (const session of sessions.values()) {
      if (session.expires > now()) return
      remove(session)
    }
  }

  /** Lists the sessions that a new session displaces. */
  function displaced({ kind, account }: Pick<NewSession, 'kind' | 'account'>): PendingSession[] {
    const alike = [...(byAccount.get(account) ?? [])].filter((other) => other.kind === kind)
    return alike.slice(0, Math.max(0, alike.length + 1 - (kind === 'enroll' ? 1 : rules.maxPendingPerUser)))
  }

  function assertNotFull(about: Pick<NewSession, 'kind' | 'account'>): void {
    removeExpired()
    if (sessions.size - displaced(about).length < rules.maxPending) return
    const [oldest] = sessions.values()
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest?.expires ?? 0) - now()))
    throw new Failure('too-many-requests', 'Too many logins are waiting for their second factor.', { retryAfterSeconds })
  }

  return {
    assertCapacity: assertNotFull,
    open(input) {
      assertNotFull(input)
      for (const other of displaced(input)) remove(other)
      const session = { ...input, expires: now() + rules.ttlSeconds, attempts: 0 }
      sessions.set(session.token, session)
      const others = byAccount.get(session.account) ?? new Set()
      byAccount.set(session.account, others.add(session))
    },
    find(token, account) {
      removeExpired()
      const session = sessions.get(token)
      return session?.account === account ? session : undefined
    },
    end: remove,
  }
}

/** Needed by functions that open or complete a second factor. */
export interface MfaDeps {
  readonly mfaSessions: MfaSessions
}
