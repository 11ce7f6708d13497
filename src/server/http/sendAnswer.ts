/** Sends the result of a method in its format: a file, a text, a document, a redirect, JSON. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerReader } from '../call/answers/answerReader.js'
import { FileResult } from '../base/fileResult.js'
import type { Method, Result } from '../call/method.js'
import type { Node } from '../index.js'
import { sendDocument, sendNothing, sendResult, sendText } from './respond.js'
import { sendFile } from './sendFile.js'

/**
 * Answers a request with the result of its method. `callerId` is that of the access, if known; `reader` is the receiving client.
 */
export async function sendAnswer(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  method: Method<Node>,
  result: Result,
  callerId: string | undefined,
  reader?: AnswerReader,
): Promise<void> {
  const { http } = method
  if (http.sendsFile === true) {
    const { file } = result
    if (file instanceof FileResult) return sendFile(node, request, response, file.file, callerId)
    return sendNothing(node, request, response, callerId)
  }
  const stored = http.cacheSeconds === undefined ? [] : cacheHeaders(http.cacheSeconds)
  if (http.rawText !== undefined) {
    const type = `${http.rawText === true ? 'text/plain' : http.rawText}; charset=utf-8`
    return sendText(node, request, response, 200, type, String(result['text']), stored)
  }
  const location = http.redirect === undefined ? undefined : String(result[http.redirect])
  const own = typeof http.status === 'function' ? http.status(result) : (http.status ?? 200)
  const status = location === undefined ? own : 302
  const isDocument = typeof http.withoutMeta === 'function' ? http.withoutMeta(result) : http.withoutMeta === true
  if (isDocument) return sendDocument(node, request, response, status, result, stored)
  if (status === 204) return sendNothing(node, request, response, callerId)
  return sendResult(node, request, response, status, result, callerId, location, reader, http.verb !== 'GET')
}

/** Every answer contains the requesting origin, so that caches must not share it between origins. */
const cacheHeaders = (seconds: number): string[] => ['Cache-Control', `public, max-age=${seconds}`, 'Vary', 'Origin']
