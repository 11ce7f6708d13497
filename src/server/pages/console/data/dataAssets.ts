/** The style sheet and the script of the section of data. */
import { createAsset } from '../../assets.js'
import { dataScriptText } from './dataScript.js'
import { dataStyleText } from './style.js'

export const dataAssets = [createAsset('data', 'css', dataStyleText), createAsset('data', 'js', dataScriptText)]
