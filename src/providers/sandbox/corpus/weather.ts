/** Clouds, wind, seasons, forecasts. */
export const weather = `
Q: What is the weather like today?
A: I cannot look out of the window, so I do not know. If you can see the sky, tell me about the clouds and the wind, and I will make a guess that is about as good as an old sailor's.
---
Q: Why does it rain?
A: Warm air carries water that you cannot see. When the air rises it cools, and cool air cannot hold as much, so the water gathers on tiny grains of dust and becomes cloud. The drops in the cloud bump into each other and grow until the air can no longer carry them. Then they fall, and we call it rain.
---
Q: What causes the wind?
A: The sun does not warm the ground evenly. Where it is warm the air rises and leaves a little less pressure behind, and cooler air flows in from the side to fill the gap. That flow is the wind. The greater the difference in pressure, the harder it blows.
---
Q: How are clouds named?
A: Clouds are named by their shape and their height. Those that look like heaps are called cumulus, those that lie in flat sheets are called stratus, and the thin feathers high above are called cirrus. If a cloud brings rain, the word nimbus is added to its name.
---
Q: What is fog?
A: Fog is a cloud that touches the ground. It often forms on clear, still nights, when the earth loses its warmth to the sky and cools the damp air that lies on it. When the sun comes up and warms the air again, the fog thins from below and seems to lift.
---
Q: How does lightning happen?
A: Inside a tall storm cloud, small pieces of ice and soft hail rub against each other and pull their charges apart. The top of the cloud becomes positive and the bottom negative. When the difference is too large for the air to bear, a spark jumps, either within the cloud or down to the ground. The air along its path becomes hotter than the surface of the sun and bursts outward, and that burst is the thunder.
---
Q: How can I tell how far away a storm is?
A: Count the seconds between the flash and the thunder. Sound takes about three seconds for each kilometre, so nine seconds mean that the storm is roughly three kilometres away. If the time between flash and thunder gets shorter, the storm is coming towards you and you should go indoors.
---
Q: Is it safe to stand under a tree in a thunderstorm?
A: No. A tall tree is the easiest path for the lightning, and the current can jump sideways to anyone who stands beside the trunk. A house or a car is much safer. If there is neither, crouch low in a hollow, keep your feet together and stay away from water and metal fences.
---
Q: What is the difference between weather and climate?
A: Weather is what you get today, and climate is what you can expect over many years. One cold week says nothing about the climate, just as one wet shoe says nothing about the depth of the river. To know the climate of a place you need thirty years of patient measuring.
---
Q: Why is the sky blue?
A: Sunlight is a mixture of all colours. When it passes through the air, the short blue waves are scattered to all sides far more than the long red ones, so blue light reaches your eyes from every part of the sky. In the evening the light has a longer way through the air, most of the blue is lost on the way, and what is left looks orange and red.
---
Q: How do you read a barometer?
A: Look at the change rather than at the number. If the pressure falls quickly, wind and rain are on their way. If it rises slowly and steadily, the weather will probably be settled for a few days. Tap the glass gently in the morning and set the marker, and in the evening you will see which way it has moved.
---
Q: What should I wear when it is cold and windy?
A: Wear several thin layers instead of one thick one. The layer next to your skin should carry the sweat away, the middle one should hold warm air, and the outer one should stop the wind. A hat and dry socks matter more than people think.
---
Q: How does snow form?
A: Snow begins as a speck of dust on which water freezes high in a cloud. The water vapour around it settles on the corners of the tiny crystal, so the corners grow fastest and six arms appear. Every flake falls through slightly different air, which is why hardly any two of them look the same.
---
Q: Why does snow make everything so quiet?
A: Fresh snow is full of small holes, and sound that enters them does not come out again. It works like a thick carpet over the whole town. When the snow melts a little and freezes again, the surface becomes hard and the sound returns.
---
Q: What is a heat wave?
A: A heat wave is a run of days that are much hotter than usual for the place and the season. It often comes when a large area of high pressure stands still and the air sinks and warms. Old people and small children suffer first, so look in on your neighbours, close the shutters by day and open the windows at night.
---
Q: Is a red sky in the evening a good sign?
A: Often it is, in places where the weather comes from the west. A red evening sky means that the air in the west is clear, and the clear air will reach you next. A red sky in the morning means that the clear air has already passed, and something wetter may follow.
---
Q: How cold is it at the top of a mountain?
A: As a rule the air becomes about six degrees colder for every thousand metres you climb. If it is 20 °C in the valley, expect around 8 °C at two thousand metres, and less when the wind blows. That is why a warm coat belongs in the bag even in July.
---
Q: What is dew?
A: Dew is water that the air leaves behind on cold surfaces at night. Grass and spider webs lose their warmth quickly, and the damp air that touches them cools until it has to let go of some of its water. If the surface is below freezing, the water becomes frost instead.
---
Q: How does a weather forecast work?
A: Stations, balloons, ships and satellites measure the air all over the world. A computer divides the air into small boxes and works out, minute by minute, what each box will do to its neighbours. Because no measurement is perfect, the computer does the sum many times with slightly different beginnings. If all the answers agree the forecast is safe, and if they spread out it is not.
---
Q: Should I take an umbrella?
A: If the forecast says more than forty per cent, take one. If it says less, take one anyway when you wear good shoes. The umbrella that is left at home has never kept anyone dry.
---
Q: What is the best season?
A: Spring has the light, summer has the long evenings, autumn has the colours and winter has the quiet. I would choose the first week of autumn, when the mornings are cool, the afternoons are warm and nobody has started to complain yet.
---
Winter came late that year. Until the end of December the grass stayed green, and the old man at the corner shop told everyone that the seasons had been mixed up in the post. Then, on a Tuesday, the wind turned to the north. By noon the puddles had skins of ice. By evening the first flakes came down between the street lamps, large and slow, and people who had not spoken for weeks stopped on the pavement to tell each other that it was snowing. In the morning the town was gone. In its place lay a softer one, with round corners and blue shadows, and the only sound was a shovel somewhere, scraping a narrow path towards the road.
---
A rainbow needs three things: rain in front of you, the sun behind you, and a gap in the clouds that lets the light through. Each drop bends the light as it enters, sends it back from its far side, and bends it again on the way out. Red leaves the drop at a slightly steeper angle than violet, so every drop sends you only one colour, and the whole arc is made of many drops at the right places. That is why you can never reach the end of a rainbow. When you walk, the arc walks with you, because it is not a thing in the field but a direction in which you look.
---
The morning report from the harbour was short. Wind from the south west, force four, rising to six before night. Sea moderate. Visibility good, except in showers. The skipper read it twice, looked at the flag on the roof of the customs house, and decided to leave an hour early. It is better to wait in a quiet bay for a wind that does not come than to meet it on the open water.
---
People who live near the mountains learn to read the afternoon. In summer the day begins clear. At eleven the first white heaps appear above the ridge, at one they have flat grey bottoms, and at three the tops begin to spread like anvils. Whoever is still on the rock at four will be wet at five. So they start before sunrise, eat their bread on the summit at nine, and are back at the hut in time for soup, where they sit on the bench and watch the storm walk up the valley without them.
---
Q: Tell me about the weather.
A: Weather is what the air is doing right now: warm or cold, dry or wet, calm or windy. The sun warms the ground unevenly, so the air begins to move, and that is the wind. Where damp air rises and cools it makes clouds, and where the drops in them grow heavy enough it rains.
`;
