/** What there is to know of the certificate that the node serves HTTPS with, wherever it comes from. */
import type { Seal } from '../../store/keyring/seal.js'
import type { Records } from '../../sync/registry/port.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import type { Pair, PairFault, PairFiles } from './pair.js'

/** One certificate, as the operator is told of it. */
export interface CertificateFacts {
  hostname: string
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
  /** Rounded; below zero once it has expired. */
  daysUntilExpiry: number | null
}

/** Why what should be served is not: a fault of the files, or an authority that gives none. */
export type CertificateFault = PairFault | 'not-issued' | 'not-renewed'

/** All there is to know of the certificate of a node, but its key. */
export interface CertificateState {
  /** What is served, or would be; null when there is none that clients could trust. */
  certificate: (CertificateFacts & { names: string[]; coversAddress: boolean }) | null
  /** `setting` and `file` of files alone. */
  problem: { fault: CertificateFault; message: string; setting?: string; file?: string } | null
  /** Where the pair comes from; absent when an authority gives it. */
  files?: PairFiles
  /** Whether others than the owner may open the file of the key. */
  isKeyOpen: boolean
}

/** Thrown when a certificate cannot be renewed, with the reason. */
export class NotRenewed extends Error {}

export interface Certificates {
  /** Whether the node serves HTTPS itself. */
  readonly isOn: boolean
  /**
   * The pair that is to be served from now on.
   * @throws CertificateProblem when there is none
   */
  load(): Promise<Pair>
  /** Gives `swap` each pair that is to be served instead. Answers how to stop. */
  follow(swap: (pair: Pair) => void): () => void
  /** Looks now whether there is a newer pair. */
  look(): Promise<void>
  /** When what is served expires, in milliseconds since 1970. */
  expiresAt(): number | undefined
  /** The certificates, as the interface lists them. */
  list(): Promise<CertificateFacts[]>
  /** Looks, and tells; undefined when it is off. */
  state(): Promise<CertificateState | undefined>
  /** What an authority is to be answered for a token of its challenge. */
  answerTo(token: string): string | undefined
  /**
   * Renews at once.
   * @param hostname only if it is the one for this name
   * @throws NotRenewed
   */
  renew(hostname?: string): Promise<CertificateFacts>
}

export interface CertificateParts {
  config: Config
  log: Log
  /** Seconds since 1970. */
  now(): number
  /** The address by which clients reach the node. */
  publicBase(): string
}

/** Where what an authority gives is kept. */
export interface CertificateStore {
  records: Records
  seal: Seal
  /** The folder of the node. */
  home: string
}

