/** @jsxImportSource hono/jsx */
/** Fields of a form that takes files: chosen, dropped, or from the camera. The script of uploads shows their progress. */
import type { Visit } from '../../page.js'
import { filesWords } from './words.js'

/** Returns the attributes of a form with these fields. */
export function uploadAttributes({ language }: Visit): Record<string, string> {
  const { sending, failed } = filesWords[language]
  return { 'data-upload': 'yes', 'data-sending': sending, 'data-failed': failed }
}

export function FileInputs({ visit }: { visit: Visit }) {
  const words = filesWords[visit.language]
  const { config } = visit.node
  return (
    <div class="dropzone apart" data-drop={words.drop}>
      <label for="files">{words.choose}</label>
      <input id="files" type="file" name="files" multiple aria-describedby="files-hint" />
      <p class="hint" id="files-hint">
        {words.chooseHint(config.get('uploads.maxFiles'), config.get('uploads.maxSizeMb'))}
      </p>
      <label for="camera">{words.camera}</label>
      <input id="camera" type="file" name="camera" accept="image/*" capture="environment" aria-describedby="camera-hint" />
      <p class="hint" id="camera-hint">
        {words.cameraHint}
      </p>
    </div>
  )
}
