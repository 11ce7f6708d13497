/** Rules for who may use the pages of the operator. */
import { isLoopbackHost } from '../../base/loopback.js'
import type { Visit } from '../page.js'

/** Checks whether the node has an operator key. */
export const hasOperatorKey = ({ node }: Pick<Visit, 'node'>): boolean => node.config.get('auth.adminAccessKey') !== null

/**
 * Checks whether this browser may use the pages of the operator at all: with remote control, or on the machine of the node. They
 * allow what remote control does.
 */
export const isOnAllowedMachine = ({ node, origin }: Pick<Visit, 'node' | 'origin'>): boolean =>
  node.config.get('remoteControl.active') || (origin.ip !== undefined && isLoopbackHost(origin.ip))
