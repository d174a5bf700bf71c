import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { ChatController } from './chat.controller.js';
import { ChatService } from './chat.service.js';

@Module({ imports: [InferenceModule], controllers: [ChatController], providers: [ChatService], exports: [ChatService] })
export class ChatModule {}
