export const TRAVEL_FOLDER = '.holdfast';
export const TRAVEL_FILE = `${TRAVEL_FOLDER}/board.jsonl`;
