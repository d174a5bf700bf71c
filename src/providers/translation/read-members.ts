import { namesRead, type ReadMembers } from '../../json/unread-members.js';

/** What a vendor reads of some objects of a chat: names between spaces. */
interface Differing {
  readonly image?: string;
  readonly audio?: string;
  readonly tool?: string;
  readonly schema?: string;
}

const file = namesRead('file_data file_url file_id filename');

/** What becomes of a part with a file that is sent as another part. */
export const fileRead: ReadMembers = { ...namesRead('type document_url document_name file_url file_name cache_control'), file };

/** What a vendor of another format than chat completions reads of messages, tools and the response format. */
export function membersRead({
  image = 'url',
  audio = 'data format',
  tool = 'name description parameters strict',
  schema = 'name description schema strict',
}: Differing = {}): ReadMembers {
  return {
    messages: {
      ...namesRead('role tool_call_id is_error refusal reasoning_content thinking_blocks reasoning_details extra_content cache_control'),
      content: {
        ...fileRead,
        ...namesRead('text refusal audio_url video_url'),
        prompt_cache_breakpoint: namesRead('mode'),
        image_url: namesRead(image),
        input_audio: namesRead(audio),
      },
      tool_calls: { ...namesRead('id type index extra_content cache_control'), function: namesRead('name arguments') },
    },
    tools: { ...namesRead('type cache_control'), function: namesRead(tool) },
    tool_choice: { type: true, function: namesRead('name') },
    response_format: { type: true, json_schema: namesRead(schema) },
  };
}
